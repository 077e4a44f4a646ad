"""L1: embedding, the index, full text beside it, and the retriever over them."""

import os

# onnxruntime queues usage events for its maker from the moment it is imported; its Python switch
# comes too late. A user who wants them sets the variable to 0.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
