/** Web addresses of the sources that rules and lessons name. */

/** Pages by the beginning of a source's name. If several fit, the longest counts. */
const pages: Readonly<Record<string, string>> = {
  'CUDA C++ Programming Guide': 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html',
  'CUDA Runtime API': 'https://docs.nvidia.com/cuda/cuda-runtime-api/index.html',
  'CUDA Runtime API: API synchronization behavior':
    'https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html',
  'CUDA Runtime API: Stream synchronization behavior':
    'https://docs.nvidia.com/cuda/cuda-runtime-api/stream-sync-behavior.html',
  'NVIDIA ACCV-Lab: multi_tensor_copier':
    'https://nvidia.github.io/ACCV-Lab/contained_package_docs_mirror/multi_tensor_copier/docs/index.html',
  'PyTorch documentation: torch.Tensor.record_stream':
    'https://docs.pytorch.org/docs/stable/generated/torch.Tensor.record_stream.html',
  'PyTorch documentation: torch.profiler': 'https://docs.pytorch.org/docs/stable/profiler.html',
  'PyTorch forums: Tensor.to, non-blocking and CUDA streams':
    'https://discuss.pytorch.org/t/tensor-to-non-blocking-cuda-streams-optimisation/143588',
  'PyTorch notes: CUDA semantics': 'https://docs.pytorch.org/docs/stable/notes/cuda.html',
  'PyTorch source: aten/src/ATen/native/cuda/Copy.cu':
    'https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/cuda/Copy.cu',
  'PyTorch tutorials: A guide on good usage of non_blocking and pin_memory()':
    'https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html',
  'vLLM issue 57555': 'https://github.com/vllm-project/vllm/issues/57555',
};

/** Returns null for sources without a page: measurements, and texts that aren't on the web. */
export function sourceLink(source: string): string | null {
  const found = Object.keys(pages).filter((name) => source.startsWith(name));
  const longest = found.reduce((long, name) => (name.length > long.length ? name : long), '');
  return pages[longest] ?? null;
}
