// Bytes in the form that src/llvm/decode.rs reads.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace lariat {

class Buffer {
  std::string Bytes;

public:
  llvm::StringRef bytes() const { return Bytes; }
  void byte(uint8_t B) { Bytes.push_back(static_cast<char>(B)); }
  void flag(bool B) { byte(B); }
  // Seven bits a byte, the lowest first; the top bit says that more follow.
  void number(uint64_t N) {
    for (; N >= 0x80; N >>= 7)
      byte(static_cast<uint8_t>(N) | 0x80);
    byte(static_cast<uint8_t>(N));
  }
  // The sign in the lowest bit.
  void offset(int64_t N) { number((static_cast<uint64_t>(N) << 1) ^ static_cast<uint64_t>(N >> 63)); }
  void text(llvm::StringRef S) {
    number(S.size());
    Bytes.append(S.data(), S.size());
  }
  void append(const Buffer &B) { Bytes += B.Bytes; }
};

// How long a chain of typedefs, aliases or inlined places may be. Torn files have circular ones.
constexpr unsigned MaxChain = 1000;
// How deep types and constants may be nested. Deeper ones are opaque: code on the other side is recursive.
constexpr unsigned MaxDepth = 100;

} // namespace lariat
