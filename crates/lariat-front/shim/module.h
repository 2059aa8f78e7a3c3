#pragma once

#include <string>

namespace llvm {
class Module;
}

namespace lariat {

// The module as bytes.
std::string write(llvm::Module &M);

} // namespace lariat
