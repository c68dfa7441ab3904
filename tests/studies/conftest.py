"""The bundled model, and tiny random ones."""

from tests.models.conftest import minilm, tiny

__all__ = ["minilm", "tiny"]
