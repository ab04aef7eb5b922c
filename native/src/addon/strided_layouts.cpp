// Reads the layouts of host tensors that aren't contiguous. Direct callers of the addon may pass anything.
#include <cmath>

#include "addon/copy_request.h"

namespace copyscope::addon {

using namespace copy;

namespace {

constexpr std::uint32_t mostDimensions = 64;

/// One of the request's layouts. Each number is checked as it is read.
class Layout {
 public:
  Layout(const Napi::Array& layouts, std::uint32_t number) : name_("strided[" + std::to_string(number) + "]") {
    const Napi::Value value = layouts.Get(number);
    if (!value.IsObject()) badCopyArgument(name_, "an object");
    object_ = value.As<Napi::Object>();
    shape_ = numbers("shape", "a list of at most 64 numbers");
    strides_ = numbers("strides", "as long as the shape");
    dimensions_ = shape_.Length();
    if (dimensions_ > mostDimensions) badCopyArgument(name_ + ".shape", "a list of at most 64 numbers");
    if (strides_.Length() != dimensions_) badCopyArgument(name_ + ".strides", "as long as the shape");
  }

  std::uint32_t dimensions() const { return dimensions_; }
  std::int64_t offset() const { return whole(object_.Get("offset"), 0, [&] { return name_ + ".offset"; }); }
  std::int64_t length(std::uint32_t dimension) const { return element(shape_, ".shape[", dimension, 0); }
  std::int64_t stride(std::uint32_t dimension) const { return element(strides_, ".strides[", dimension, -mostExact); }

  /// Returns the leaf of the layout, if it is the first layout of that leaf.
  std::size_t leaf(const std::vector<TensorSize>& tensors) const {
    const auto index = static_cast<std::size_t>(whole(object_.Get("index"), 0, [&] { return name_ + ".index"; }));
    if (index >= tensors.size() || !tensors[index].contiguous) badCopyArgument(name_ + ".index", "a leaf without a layout");
    return index;
  }

 private:
  Napi::Array numbers(const char* field, const char* expected) const {
    const Napi::Value value = object_.Get(field);
    if (!value.IsArray()) badCopyArgument(name_ + "." + field, expected);
    return value.As<Napi::Array>();
  }

  std::int64_t element(const Napi::Array& list, const char* field, std::uint32_t dimension, std::int64_t least) const {
    return whole(list.Get(dimension), least, [&] { return name_ + field + std::to_string(dimension) + "]"; });
  }

  /// Rejects other values, since converting them would give another layout.
  template <typename Name>
  static std::int64_t whole(const Napi::Value& value, std::int64_t least, const Name& name) {
    const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : std::nan("");
    const bool isExact = number >= static_cast<double>(least) && number <= static_cast<double>(mostExact);
    if (isExact && number == std::floor(number)) return static_cast<std::int64_t>(number);
    badCopyArgument(name(), least == 0 ? "a whole number from 0 to 2^53 - 1" : "a whole number, within 2^53 of 0");
  }

  const std::string name_;
  Napi::Object object_;
  Napi::Array shape_;
  Napi::Array strides_;
  std::uint32_t dimensions_ = 0;
};

/// Returns `bytes` times `length`.
std::uint64_t timesLength(std::uint64_t bytes, std::int64_t length) {
  const auto times = static_cast<std::uint64_t>(length);
  if (times > 0 && bytes > static_cast<std::uint64_t>(mostExact) / times) {
    badCopyArgument("strided", "of fewer than 2^53 bytes");
  }
  return bytes * times;
}

/// Returns the elements from a dimension's first to its last.
std::int64_t reachOf(std::int64_t length, std::int64_t stride) {
  if (length <= 1) return 0;
  const std::int64_t most = mostExact / (length - 1);
  if (stride < -most || stride > most) badCopyArgument("strided", "within their memory");
  return (length - 1) * stride;
}

/// Turns the layout's leaf into the tensor that it describes.
StridedSource apply(const Layout& layout, PendingCopy& copy, std::vector<TensorSize>& tensors) {
  StridedSource source;
  source.transfer = layout.leaf(tensors);
  TensorSize& tensor = tensors[source.transfer];
  source.elementBytes = tensor.elementBytes;
  std::uint64_t bytes = tensor.elementBytes;
  const std::int64_t first = layout.offset();
  std::int64_t least = first;
  std::int64_t most = first;
  for (std::uint32_t dimension = 0; dimension < layout.dimensions(); ++dimension) {
    const std::int64_t length = layout.length(dimension);
    const std::int64_t stride = layout.stride(dimension);
    bytes = timesLength(bytes, length);
    (stride < 0 ? least : most) += reachOf(length, stride);
    source.shape.push_back(static_cast<std::uint64_t>(length));
    source.strides.push_back(length > 1 ? stride : 0);
  }
  const auto elements = static_cast<std::int64_t>(tensor.bytes / tensor.elementBytes);
  if (bytes > 0 && (least < 0 || most >= elements)) badCopyArgument("strided", "within their memory");
  Transfer& transfer = copy.batch.transfers[source.transfer];
  if (bytes > 0) transfer.host += first * static_cast<std::int64_t>(tensor.elementBytes);
  transfer.bytes = tensor.bytes = bytes;
  tensor.contiguous = false;
  return source;
}

}  // namespace

void readStrided(const Napi::Object& request, PendingCopy& copy, std::vector<TensorSize>& tensors) {
  if (request.Get("strided").IsUndefined()) return;
  const Napi::Array layouts = list(request, "strided");
  for (std::uint32_t number = 0; number < layouts.Length(); ++number) {
    copy.strided.push_back(apply(Layout(layouts, number), copy, tensors));
  }
}

}  // namespace copyscope::addon
