# Sourced: finds cuBLAS and cuFFT, with their headers, in the toolkit or in what PyTorch brings along, and lays links to them
# alone into a folder, so that nothing else of PyTorch's is found before the toolkit's own.
#   CUDA_MATH_LIB and CUDA_MATH_INCLUDE are set where there is something; LD_LIBRARY_PATH gets the former.
lay_math_links() {
  local folder="$1" from file base
  mkdir -p "$folder/lib" "$folder/include"
  while read -r from; do
    for file in "$from"/libcublas.so* "$from"/libcublasLt.so* "$from"/libcufft.so*; do
      [ -e "$file" ] || continue
      base="$(basename "$file")"
      [ -e "$folder/lib/$base" ] || ln -s "$file" "$folder/lib/$base"
      # The linker asks for the name without a version.
      [ -e "$folder/lib/${base%%.so*}.so" ] || ln -s "$file" "$folder/lib/${base%%.so*}.so"
    done
    for file in "$from"/cublas_v2.h "$from"/cublas_api.h "$from"/cufft.h "$from"/cudalibxt.h; do
      [ -e "$file" ] && [ ! -e "$folder/include/$(basename "$file")" ] && ln -s "$file" "$folder/include/"
    done
  done < <(math_folders)
  [ -e "$folder/lib/libcublas.so" ] && export CUDA_MATH_LIB="$folder/lib" &&
    export LD_LIBRARY_PATH="$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  [ -e "$folder/include/cublas_v2.h" ] && export CUDA_MATH_INCLUDE="$folder/include"
  return 0
}

math_folders() {
  ls -d /usr/local/cuda/lib64 /usr/local/cuda/targets/*/lib /usr/local/cuda/include 2> /dev/null
  command -v python3 > /dev/null && python3 - << 'PYTHON'
import glob, site, sys
for packages in {*site.getsitepackages(), site.getusersitepackages(), *(path for path in sys.path if path.endswith("-packages"))}:
    for name in ("lib", "include"):
        for folder in sorted(glob.glob(f"{packages}/nvidia/*/{name}")) + sorted(glob.glob(f"{packages}/torch/{name}")):
            print(folder)
PYTHON
}
