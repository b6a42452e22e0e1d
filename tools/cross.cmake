# Builds for another machine, statically, so that qemu-user runs the result as
# it is (tools/install_deps.sh cross installs what is needed).
#
#     cmake -S . -B build/s390x -DWM_TESTS=OFF -DWM_MACHINE=s390x \
#           -DCMAKE_TOOLCHAIN_FILE=tools/cross.cmake
#     cmake --build build/s390x --target warpmem
#     qemu-s390x build/s390x/bin/warpmem --version
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WM_MACHINE)
if(NOT WM_MACHINE)
  message(FATAL_ERROR "WM_MACHINE is not set, want aarch64 or s390x")
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${WM_MACHINE})
set(CMAKE_C_COMPILER ${WM_MACHINE}-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${WM_MACHINE}-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_C_STANDARD_LIBRARIES_INIT -lm)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/cross/${WM_MACHINE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
