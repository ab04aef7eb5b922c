"""Stands in for PyTorch as far as copyscope.to_device uses it, over numpy: for tests without PyTorch."""

import numpy

strided = "strided"
uint8 = numpy.dtype("u1")
int64 = numpy.dtype("i8")


class device:
    def __init__(self, name, index=None):
        name = name.type if isinstance(name, device) else name
        self.type, _, number = name.partition(":")
        self.index = int(number) if number else index
        if self.type not in ("cpu", "cuda"):
            raise RuntimeError(f"Invalid device string: '{name}'")


class Tensor:
    is_cpu, is_cuda, layout, requires_grad, device = True, False, strided, False, "cpu"

    def __init__(self, values):
        self.values = values

    dtype = property(lambda self: self.values.dtype)
    itemsize = property(lambda self: self.values.itemsize)
    nbytes = property(lambda self: self.values.nbytes)
    shape = property(lambda self: self.values.shape)

    def numpy(self):
        return self.values

    def data_ptr(self):
        return self.values.ctypes.data

    def is_contiguous(self):
        return self.values.flags.c_contiguous

    def is_neg(self):
        return False

    is_conj = is_neg

    def stride(self):
        return tuple(each // self.itemsize for each in self.values.strides)

    def view(self, dtype):
        return Tensor(self.values.view(dtype))

    def as_strided(self, shape, stride, offset):
        strides = [each * self.itemsize for each in stride]
        return Tensor(numpy.lib.stride_tricks.as_strided(self.values[offset:], shape, strides))

    def clone(self):
        return Tensor(self.values.copy("K"))

    def to(self, _device, non_blocking=False):
        return self.clone()


def is_grad_enabled():
    return False


def empty(count, dtype, device):
    return Tensor(numpy.empty(count, dtype))


def empty_like(tensor, device, requires_grad=False):
    return Tensor(numpy.empty_like(tensor.values))


def from_numpy(values):
    if values.dtype.hasobject:
        raise TypeError("can't convert np.ndarray of type numpy.object_")
    return Tensor(values)
