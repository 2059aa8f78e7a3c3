// Debug information reduced to places, and to variables with their types.

#pragma once

#include "buffer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

#include <vector>

namespace lariat {

using namespace llvm;

enum DebugTag : uint8_t { DeInt, DeBool, DeFloat, DePointer, DeArray, DeRecord, DeOther };

class DebugInfo {
  std::vector<std::string> Files;
  StringMap<uint32_t> FileIds;
  DenseMap<const DIFile *, uint32_t> DebugFiles;
  StringSet<> UnitFolders;
  StringMap<std::string> UnitFiles; // from full path to the name the compiler was given

  std::vector<const DIType *> DebugTypes; // a work list; the place is the number
  DenseMap<const DIType *, uint32_t> DebugIds;

public:
  explicit DebugInfo(const Module &M) {
    for (const DICompileUnit *Unit : M.debug_compile_units()) {
      UnitFolders.insert(Unit->getDirectory());
      UnitFiles.try_emplace(fullPath(Unit->getDirectory(), Unit->getFilename()), Unit->getFilename().str());
    }
  }

  // The types that variables written so far have, and those that they are made of.
  Buffer types() {
    Buffer B;
    // The list grows while it is written.
    for (size_t N = 0; N < DebugTypes.size(); ++N)
      debugType(B, DebugTypes[N]);
    Buffer Counted;
    Counted.number(DebugTypes.size());
    Counted.append(B);
    return Counted;
  }

  Buffer files() const {
    Buffer B;
    B.number(Files.size());
    for (const std::string &File : Files)
      B.text(File);
    return B;
  }

  void place(Buffer &B, const DIFile *F, unsigned Line, unsigned Column) {
    if (!F || Line == 0)
      return B.number(0);
    B.number(file(F) + 1);
    B.number(Line);
    B.number(Column);
  }

  // The innermost place; compiler-made code has line 0 there and the line of its cause further out.
  void place(Buffer &B, const DILocation *L) {
    for (unsigned N = 0; L && L->getLine() == 0 && N < MaxChain; ++N)
      L = L->getInlinedAt();
    if (!L)
      return B.number(0);
    place(B, L->getFile(), L->getLine(), L->getColumn());
  }

  void variable(Buffer &B, const DIVariable *V, unsigned Argument, unsigned Column) {
    B.text(V->getName());
    debugTypeId(B, V->getType());
    B.number(Argument);
    place(B, V->getFile(), V->getLine(), Column);
  }

private:
  static std::string fullPath(StringRef Folder, StringRef File) {
    SmallString<256> Path;
    if (sys::path::is_relative(File))
      Path = Folder;
    sys::path::append(Path, File);
    return Path.str().str();
  }

  // As the compiler was given it. Clang takes the folders that an absolute path shares with the current folder into the
  // debug information's folder, so a file name may be relative to something else than the current folder.
  uint32_t file(const DIFile *F) {
    auto Known = DebugFiles.find(F);
    if (Known != DebugFiles.end())
      return Known->second;
    std::string Full = fullPath(F->getDirectory(), F->getFilename());
    auto Given = UnitFiles.find(Full);
    std::string Name = F->getFilename().str();
    if (Given != UnitFiles.end())
      Name = Given->second;
    else if (!UnitFolders.contains(F->getDirectory()))
      Name = Full;
    auto [Entry, New] = FileIds.try_emplace(Name, Files.size());
    if (New)
      Files.push_back(Name);
    DebugFiles[F] = Entry->second;
    return Entry->second;
  }

  static const DIType *strip(const DIType *T) {
    for (unsigned N = 0; N < MaxChain; ++N) {
      auto *D = dyn_cast_or_null<DIDerivedType>(T);
      if (!D)
        return T;
      switch (D->getTag()) {
      case dwarf::DW_TAG_typedef:
      case dwarf::DW_TAG_template_alias:
      case dwarf::DW_TAG_const_type:
      case dwarf::DW_TAG_volatile_type:
      case dwarf::DW_TAG_restrict_type:
      case dwarf::DW_TAG_atomic_type:
      case dwarf::DW_TAG_immutable_type:
      case dwarf::DW_TAG_LLVM_ptrauth_type:
        T = D->getBaseType();
        break;
      default:
        return T;
      }
    }
    return nullptr;
  }

  // 0 is none.
  void debugTypeId(Buffer &B, const DIType *T) {
    T = strip(T);
    if (!T)
      return B.number(0);
    auto [Entry, New] = DebugIds.try_emplace(T, DebugTypes.size());
    if (New)
      DebugTypes.push_back(T);
    B.number(Entry->second + 1);
  }

  static bool isSigned(const DIBasicType *T) {
    return T->getEncoding() == dwarf::DW_ATE_signed || T->getEncoding() == dwarf::DW_ATE_signed_char;
  }

  static void debugInt(Buffer &B, const DIType *T, bool Signed) {
    B.byte(DeInt);
    B.text(T->getName());
    B.number(T->getSizeInBits() / 8);
    B.flag(Signed);
  }

  void debugType(Buffer &B, const DIType *T) {
    if (auto *Basic = dyn_cast<DIBasicType>(T)) {
      uint64_t Size = T->getSizeInBits() / 8;
      // `()` and `!` of Rust are numbers without bytes.
      if (T->getTag() != dwarf::DW_TAG_base_type || Size == 0)
        return B.byte(DeOther);
      switch (Basic->getEncoding()) {
      case dwarf::DW_ATE_boolean:
        B.byte(DeBool);
        return B.number(Size);
      case dwarf::DW_ATE_float:
        B.byte(DeFloat);
        return B.number(Size);
      case dwarf::DW_ATE_signed:
      case dwarf::DW_ATE_signed_char:
      case dwarf::DW_ATE_unsigned:
      case dwarf::DW_ATE_unsigned_char:
      case dwarf::DW_ATE_UTF:
      case dwarf::DW_ATE_ASCII:
      case dwarf::DW_ATE_UCS:
        return debugInt(B, T, isSigned(Basic));
      default:
        return B.byte(DeOther);
      }
    }
    switch (T->getTag()) {
    case dwarf::DW_TAG_pointer_type:
    case dwarf::DW_TAG_reference_type:
    case dwarf::DW_TAG_rvalue_reference_type:
      if (auto *D = dyn_cast<DIDerivedType>(T)) {
        B.byte(DePointer);
        return debugTypeId(B, D->getBaseType());
      }
      break;
    case dwarf::DW_TAG_enumeration_type:
      if (auto *C = dyn_cast<DICompositeType>(T)) {
        auto *Base = dyn_cast_or_null<DIBasicType>(strip(C->getBaseType()));
        return debugInt(B, T, Base && isSigned(Base));
      }
      break;
    case dwarf::DW_TAG_array_type:
      if (auto *C = dyn_cast<DICompositeType>(T); C && !C->isVector())
        return debugArray(B, C);
      break;
    case dwarf::DW_TAG_structure_type:
    case dwarf::DW_TAG_class_type:
    case dwarf::DW_TAG_union_type:
      if (auto *C = dyn_cast<DICompositeType>(T)) {
        Buffer Members;
        uint64_t Count = 0;
        members(Members, Count, C, 0);
        B.byte(DeRecord);
        B.text(T->getName());
        B.number(T->getSizeInBits() / 8);
        B.number(Count);
        return B.append(Members);
      }
      break;
    default:
      break;
    }
    B.byte(DeOther);
  }

  void debugArray(Buffer &B, const DICompositeType *C) {
    Buffer Counts;
    uint64_t Dimensions = 0;
    const DIType *Element = C;
    for (unsigned N = 0; C && N < MaxChain; ++N) {
      for (const DINode *Node : C->getElements()) {
        int64_t Count = -1;
        if (auto *Range = dyn_cast_or_null<DISubrange>(Node))
          if (auto *Constant = dyn_cast_if_present<ConstantInt *>(Range->getCount()))
            Count = Constant->getSExtValue();
        ++Dimensions;
        // 0 is none.
        Counts.number(Count < 0 ? 0 : static_cast<uint64_t>(Count) + 1);
      }
      // A typedef of an array may be the element of another array.
      Element = strip(C->getBaseType());
      C = dyn_cast_or_null<DICompositeType>(Element);
      if (C && (C->getTag() != dwarf::DW_TAG_array_type || C->isVector()))
        C = nullptr;
    }
    B.byte(DeArray);
    debugTypeId(B, C ? nullptr : Element);
    B.number(Dimensions);
    B.append(Counts);
  }

  void member(Buffer &B, uint64_t &Count, const DIDerivedType *D, StringRef Name) {
    ++Count;
    B.text(Name);
    B.number(D->getOffsetInBits());
    // A base has the size of its type.
    const DIType *Base = D->getBaseType();
    B.number(D->getTag() == dwarf::DW_TAG_inheritance && Base ? Base->getSizeInBits() : D->getSizeInBits());
    debugTypeId(B, Base);
    B.flag(D->isBitField());
  }

  void members(Buffer &B, uint64_t &Count, const DICompositeType *C, unsigned Depth) {
    for (const DINode *Node : C->getElements()) {
      if (auto *D = dyn_cast_or_null<DIDerivedType>(Node)) {
        if (D->getTag() == dwarf::DW_TAG_member && !D->isStaticMember())
          member(B, Count, D, D->getName());
        // Where a virtual base is, only the object knows.
        else if (D->getTag() == dwarf::DW_TAG_inheritance && !D->isVirtual())
          member(B, Count, D, D->getBaseType() ? D->getBaseType()->getName() : "");
      } else if (auto *Part = dyn_cast_or_null<DICompositeType>(Node);
                 Part && Part->getTag() == dwarf::DW_TAG_variant_part && Depth < MaxDepth) {
        // An enum of Rust: the variants lie one upon the other, as in a union.
        if (const DIDerivedType *Tag = Part->getDiscriminator())
          member(B, Count, Tag, Tag->getName());
        members(B, Count, Part, Depth + 1);
      }
    }
  }
};

} // namespace lariat
