#include "warpmem_cuda.h"
