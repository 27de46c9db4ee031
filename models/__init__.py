"""What runs a network: model files and their hashes, ONNX sessions, text detector, text readers."""

import os

# From 1.29 on, onnxruntime reports each process to its maker over the network unless this is set
# before it is first imported. Deidra sends nothing anywhere; only this package imports onnxruntime.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
