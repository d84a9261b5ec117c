#!/usr/bin/env bash
# What the tests run against, from Debian's packages. Only root on Debian can have it; others are told by each
# test what it misses. Nothing that is installed is started: no daemon of it serves this machine.
set -u
packages="slurm-wlm munge slurmdbd mariadb-server prometheus-alertmanager prometheus prometheus-node-exporter chromium"
programs="slurmctld slurmd munged slurmdbd mariadbd prometheus-alertmanager prometheus prometheus-node-exporter chromium"
patience="-o Acquire::http::Timeout=15 -o Acquire::Retries=1"
policy=/usr/sbin/policy-rc.d # asked by packages before they start what they bring; 101 is no

all_there() {
    for program in $programs; do
        PATH="$PATH:/usr/sbin" command -v "$program" >/dev/null || return 1
    done
}

install() {
    if [ ! -e "$policy" ]; then
        trap 'rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
    fi
    # shellcheck disable=SC2086
    timeout 120 apt-get -qq $patience update &&
        DEBIAN_FRONTEND=noninteractive timeout 600 \
            apt-get -qq $patience install -y --no-install-recommends $packages
}

if all_there || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    exit 0
fi
echo "installing what the tests run against: $packages (once, a minute or two)" >&2
install >/dev/null || echo "could not install them: the tests that need them are skipped" >&2
