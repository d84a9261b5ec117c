"""Metrics for others to scrape: how they are written down, the file of a node_exporter, and the endpoint.

The trap: importing this loads prometheus_client and http.server (70 ms, 4 MB): only where it is asked for.
"""

from trainwatch.adapters.metrics.endpoint import Endpoint
from trainwatch.adapters.metrics.exposition import OPENMETRICS, PROMETHEUS, Format, text_of
from trainwatch.adapters.metrics.textfile import Textfile

__all__ = ["OPENMETRICS", "PROMETHEUS", "Endpoint", "Format", "Textfile", "text_of"]
