"""The one door to onnxruntime. Its Linux builds keep a device id and send usage events unless told not to."""

from __future__ import annotations

import os
from typing import Any


def onnx_runtime() -> Any:
    """The module `onnxruntime`, imported with its telemetry switched off; nothing is written or sent."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    disable = getattr(onnxruntime, "disable_telemetry_events", None)
    if disable is not None:
        disable()
    return onnxruntime
