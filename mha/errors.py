"""Every error the package raises, drawn as one tree.

    MHAError                    its message is written for the visitor
    ├── InputError              an input, a choice or an argument cannot be used (also a ValueError)
    │   ├── NotComparable       a causal mask forces the result, so it would show nothing
    │   ├── ShapeError          an array has the wrong shape or values
    │   └── LinkError           a link asks for something that is not there
    ├── ModelError              the model, not the input, is the reason
    │   ├── UnknownModel        no model of that name on offer
    │   ├── ModelUnavailable    known, but it cannot be loaded here and now
    │   │   └── NowhereToWrite  no directory may be written to, and PyTorch needs one
    │   └── AttentionUnavailable  loaded, but it has no softmax attention to show, or not the kind asked for
    ├── AssetError              a file that travels with the program is missing or damaged
    └── Busy                    too much is being asked at this moment; the same request works later

Anything else that escapes is a bug: it is logged with its traceback, and the visitor sees a plain apology.
"""


class MHAError(Exception):
    """A problem whose message may be shown to the reader of the page as it is."""


class InputError(MHAError, ValueError):
    """The text, a choice or an argument cannot be used; the message has the expected and the given value."""


class NotComparable(InputError):
    """A causal mask forces the result for every model; the message has the reason and a way out."""


class ShapeError(InputError):
    """An array has a shape or values that the definition does not allow."""


class LinkError(InputError):
    """A link asks for something that does not exist."""


class ModelError(MHAError):
    """The model is the reason, not the input."""


class UnknownModel(ModelError):
    """No model of that name is on offer."""


class ModelUnavailable(ModelError):
    """The model is known but cannot be loaded here and now."""


class NowhereToWrite(ModelUnavailable):
    """No directory may be written to, and PyTorch needs one; the same request works as soon as there is one."""


class AttentionUnavailable(ModelError):
    """The model has no attention weights of the kind that was asked for."""


class AssetError(MHAError):
    """A file that travels with the program is missing or damaged; the message names it."""


class Busy(MHAError):
    """Too many requests are waiting; the same one works a moment later."""
