"""The models that scenarios train, and the clusters they are trained on."""

from trainwatch.simulate.scenario import Cluster, Model

GPT_176B = Model(
    name="gpt-176B",
    num_layers=70,
    hidden_size=14336,
    num_attention_heads=112,
    seq_length=2048,
    vocab_size=250_680,
)
GPT_13B = Model(
    name="gpt-13B",
    num_layers=40,
    hidden_size=5120,
    num_attention_heads=40,
    seq_length=2048,
    vocab_size=50_257,
)
LLAMA_8B = Model(
    name="llama3 8B",
    num_layers=32,
    hidden_size=4096,
    num_attention_heads=32,
    seq_length=8192,
    vocab_size=128_256,
    ffn_hidden_size=14_336,
    num_query_groups=8,
    glu=True,
)
GPT_104B = Model(
    name="gpt-104B",
    num_layers=32,
    hidden_size=16384,
    num_attention_heads=32,
    seq_length=2048,
    vocab_size=50_257,
)
OPT_175B = Model(
    name="opt-175B",
    num_layers=96,
    hidden_size=12288,
    num_attention_heads=96,
    seq_length=2048,
    vocab_size=50_272,
)
GLM_130B = Model(
    name="glm-130B",
    num_layers=70,
    hidden_size=12288,
    num_attention_heads=96,
    seq_length=2048,
    vocab_size=150_528,
)

A100_384 = Cluster(gpus=384, tensor_parallel=4, pipeline_parallel=12, tflops=162.0)
V100_256 = Cluster(
    gpus=256,
    gpus_per_node=4,
    gpu="Tesla V100-SXM2-32GB",
    tensor_parallel=2,
    pipeline_parallel=4,
    tflops=50.0,
)
# half of it, on which the same batch takes 216 instead of 105 s
A100_192 = Cluster(gpus=192, tensor_parallel=4, pipeline_parallel=12, tflops=151.5)
