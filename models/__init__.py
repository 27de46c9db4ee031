"""What runs a network: model files and their hashes, ONNX sessions, text detector, text readers."""
