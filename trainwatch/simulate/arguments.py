"""Megatron's and DeepSpeed's argument dumps: real keys, in the real layout, with what the scenario says.

Keys that matter come from the scenario; the others have the values that such runs have.
"""

from collections.abc import Mapping

from trainwatch.simulate.job import SAVE_PATH, Job

_COMMON = """
accumulate_allreduce_grads_in_fp32 True|adam_beta1 0.9|adam_beta2 0.95|adam_eps 1e-08
adlr_autoresume False|adlr_autoresume_interval 1000|apply_query_key_layer_scaling False
apply_residual_connection_post_layernorm False|attention_dropout 0.1
attention_softmax_in_fp32 False|bert_load None|bias_dropout_fusion True|bias_gelu_fusion True
clip_grad 1.0|consumed_train_samples 0|consumed_valid_samples 0|data_impl mmap
dataloader_type single|DDP_impl local|decoder_seq_length None|distributed_backend nccl
eod_mask_loss False|eval_iters 5|finetune False|fp16_lm_cross_entropy False
fp32_residual_connection False|hidden_dropout 0.1|hysteresis 2|init_method_std 0.0048
initial_loss_scale 4294967296|layernorm_epsilon 1e-05|lazy_mpu_init None|local_rank None
log_batch_size_to_tensorboard True|log_params_norm False|log_timers_to_tensorboard True
log_validation_ppl_to_tensorboard True|loss_scale None|loss_scale_window 1000|lr_decay_iters None
lr_decay_style cosine|lr_warmup_fraction None|lr_warmup_iters 0|make_vocab_size_divisible_by 128
mask_prob 0.15|masked_softmax_fusion True|merge_file None|min_loss_scale 1.0|mmap_warmup False
no_load_optim None|no_load_rng None|no_save_optim None|no_save_rng None|num_workers 2
onnx_safe None|openai_gelu False|optimizer adam|rank 0|reset_attention_mask False
reset_position_ids False|sample_rate 1.0|seed 42|sgd_momentum 0.9|short_seq_prob 0.1
tensorboard_log_interval 1|tensorboard_queue_size 5|train_iters None
use_checkpoint_lr_scheduler False|use_contiguous_buffers_in_ddp False|use_cpu_initialization None
virtual_pipeline_model_parallel_size None|vocab_extra_ids 0|weight_decay 0.1
"""
_DEEPSPEED_ONLY = """
abort_on_unmet_fused_kernel_constraints True|checkpoint_in_cpu False|checkpoint_num_layers 1
contigious_checkpointing False|cpu_optimizer False|curriculum_learning False|deepscale False
deepscale_config None|deepspeed True|deepspeed_activation_checkpointing True
deepspeed_config ./ds_config.json|deepspeed_mpi False|distribute_checkpointed_activations False
glu_activation None|inference False|kill_switch_path kill-switch|log_level None
partition_activations False|position_embedding_type PositionEmbeddingType.alibi
profile_backward False|remote_device none|skip_train_iteration_range None|split 949,50,1
synchronize_each_layer False|tokenizer_type PretrainedFromHF|train_tokens None
universal_checkpoint False|use_pin_memory False|zero_allgather_bucket_size 0.0
zero_contigious_gradients False|zero_reduce_bucket_size 0.0|zero_reduce_scatter False|zero_stage 0
"""
_CORE_ONLY = """
add_bias_linear False|add_position_embedding True|attention_backend AttnBackend.auto
auto_detect_ckpt_format False|async_save False|bias_swiglu_fusion True
check_for_nan_in_loss_and_grad True|ckpt_format torch_dist|ckpt_fully_parallel_save True
context_parallel_size 1|cross_entropy_loss_fusion True|decoupled_lr None
defer_embedding_wgrad_compute False|dist_ckpt_format_deprecated None
distributed_timeout_minutes 10|expert_model_parallel_size 1|fp8 None
gradient_accumulation_fusion True|log_energy False|log_throughput True|logging_level None
manual_gc False|moe_grouped_gemm False|mtp_num_layers None|normalization RMSNorm|num_experts None
overlap_grad_reduce True|overlap_param_gather True|position_embedding_type rope
recompute_method None|recompute_num_layers None|rotary_base 500000|rotary_percent 1.0
sequence_parallel True|squared_relu False|swin_backbone_type tiny|tiktoken_pattern None
timing_log_level 0|tokenizer_type HuggingFaceTokenizer|transformer_impl transformer_engine
untie_embeddings_and_output_weights True|use_distributed_optimizer True|use_flash_attn True
"""
_DEEPSPEED_CONFIG = """
activation_checkpointing_config {...}|allreduce_always_fp32 False|amp_enabled False
checkpoint_parallel_write_pipeline False
checkpoint_tag_validation_enabled True|communication_data_type None|disable_allgather False
dump_state False|dynamic_loss_scale_args None|elasticity_enabled False
gradient_predivide_factor 1.0|initial_dynamic_scale 1|load_universal_checkpoint False
loss_scale 1.0|memory_breakdown False|optimizer_legacy_fusion False|optimizer_name None
pld_enabled False|prescale_gradients False|scheduler_name None|sparse_attention None
steps_per_print 10|use_node_local_storage False|wall_clock_breakdown False
zero_allow_untested_optimizer False|zero_enabled False|zero_optimization_stage 0
"""


def megatron_deepspeed(job: Job) -> str:
    """The dump of Megatron-DeepSpeed, one key a line."""
    own = {**_table(_COMMON), **_table(_DEEPSPEED_ONLY), **_megatron(job)}
    own["checkpoint_activations"] = job.scenario.recompute
    own["deepspeed_activation_checkpointing"] = job.scenario.recompute
    return dump(own)


def megatron_core(job: Job) -> str:
    """The dump of Megatron-Core, one key a line."""
    scenario, model = job.scenario, job.scenario.model
    own = {**_table(_COMMON), **_table(_CORE_ONLY), **_megatron(job)}
    own |= {
        "group_query_attention": model.num_query_groups is not None,
        "num_query_groups": model.num_query_groups or model.num_attention_heads,
        "recompute_granularity": "full" if scenario.recompute else None,
        "swiglu": model.glu,
    }
    return dump(own)


def dump(arguments: Mapping[str, object]) -> str:
    """The frame and the dots."""
    lines = [f"  {key} {'.' * (48 - len(key))} {value}\n" for key, value in arguments.items()]
    body = "".join(sorted(lines, key=str.lower))
    return (
        "------------------------ arguments ------------------------\n"
        f"{body}-------------------- end of arguments ---------------------\n"
    )


def deepspeed_config(job: Job, t: float) -> str:
    """What DeepSpeed prints of its configuration; its `world_size` counts replicas."""
    scenario = job.scenario
    each = scenario.micro_batch_size * scenario.data_parallel
    own = {
        **_table(_DEEPSPEED_CONFIG),
        "bfloat16_enabled": scenario.precision == "bf16",
        "fp16_enabled": scenario.precision == "fp16",
        "gradient_accumulation_steps": scenario.global_batch_size // each,
        "gradient_clipping": 1.0,
        "train_batch_size": scenario.global_batch_size,
        "train_micro_batch_size_per_gpu": scenario.micro_batch_size,
        "world_size": scenario.data_parallel,
    }
    head = f"[{job.timeline.stamp_ms(t)}] [INFO] [config.py:1063:print] "
    lines = [f"{head}  {key} {'.' * (29 - len(key))} {own[key]}\n" for key in sorted(own)]
    first = f"[{job.timeline.stamp_ms(t)}] [INFO] [config.py:1059:print] DeepSpeedEngine configuration:\n"
    return first + "".join(lines)


def _table(text: str) -> dict[str, object]:
    pairs = (item.partition(" ") for line in text.strip().split("\n") for item in line.split("|"))
    return {key: value for key, _, value in pairs}


def _megatron(job: Job) -> dict[str, object]:
    """What both say in the same words."""
    scenario, model, cluster = job.scenario, job.scenario.model, job.scenario.cluster
    ramp = scenario.rampup
    return {
        "bf16": scenario.precision == "bf16",
        "data_parallel_size": scenario.data_parallel,
        "data_path": ["/data/corpus/train_text_document"],
        "encoder_seq_length": model.seq_length,
        "eval_interval": scenario.eval_interval,
        "exit_duration_in_mins": _whole(scenario.exit_duration_min),
        "exit_interval": None,
        "ffn_hidden_size": model.ffn_hidden_size or 4 * model.hidden_size,
        "fp16": scenario.precision == "fp16",
        "global_batch_size": scenario.global_batch_size,
        "hidden_size": model.hidden_size,
        "kv_channels": model.hidden_size // model.num_attention_heads,
        "load": SAVE_PATH,
        "log_interval": scenario.log_interval,
        "lr": scenario.learning_rate,
        "lr_decay_samples": scenario.train_samples,
        "lr_warmup_samples": scenario.warmup_samples,
        "max_position_embeddings": model.seq_length,
        "micro_batch_size": scenario.micro_batch_size,
        "min_lr": scenario.learning_rate / 10,
        "num_attention_heads": model.num_attention_heads,
        "num_layers": model.num_layers,
        "params_dtype": "torch.bfloat16" if scenario.precision == "bf16" else "torch.float16",
        "pipeline_model_parallel_size": cluster.pipeline_parallel,
        "rampup_batch_size": [str(part) for part in ramp] if ramp else None,
        "save": SAVE_PATH,
        "save_interval": scenario.save_interval,
        "seq_length": model.seq_length,
        "tensor_model_parallel_size": cluster.tensor_parallel,
        "tensorboard_dir": "tensorboard",
        "train_samples": scenario.train_samples,
        "world_size": cluster.gpus,
    }


def _whole(minutes: float | None) -> int | None:
    return None if minutes is None else round(minutes)
