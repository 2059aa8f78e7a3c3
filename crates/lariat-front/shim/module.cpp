// Writes a module as bytes, which src/llvm/decode.rs turns into the data of src/module.rs. The two have the same order:
// each function here has its counterpart there.
//
// Only what the data structure has room for is written. Attributes such as `willreturn`, `mustprogress` or
// `memory(...)` are not among it: they are promises that a loop ends or a call has no effect, which is what
// Lariat is to prove. What is written for an operation that is not understood is `Opaque`, never a simpler operation.

#include "module.h"

#include "buffer.h"
#include "debug.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/xxhash.h"

#include <set>
#include <string>

using namespace llvm;
using lariat::Buffer;
using lariat::DebugInfo;
using lariat::MaxChain;
using lariat::MaxDepth;

namespace {

// How large one type may get when it is written out as a tree, and how many constants there may be, with those that are
// shared counted again. What goes beyond is opaque.
constexpr uint64_t MaxTypeNodes = 1 << 16;
constexpr uint64_t MaxConstants = 1 << 25;

enum TypeTag : uint8_t { TyVoid, TyInt, TyPtr, TyFloat, TyStruct, TyArray, TyOther };

enum OperandTag : uint8_t {
  OpValue, OpInt, OpFloat, OpNull, OpUndef, OpGlobal, OpFunction, OpBlock, OpPtrToInt, OpIntToPtr, OpZero, OpBytes,
  OpAggregate, OpOpaque, OpPoison
};

enum InstructionTag : uint8_t {
  InAlloca, InLoad, InStore, InGep, InBinary, InCompare, InFloat, InFloatCompare, InCast, InSelect, InPhi, InFreeze,
  InExtractValue, InInsertValue, InCall, InAtomicRmw, InCompareExchange, InVaArg, InLandingPad, InFence, InOpaque
};

enum TerminatorTag : uint8_t {
  TeJump, TeBranch, TeSwitch, TeIndirectJump, TeReturn, TeReturnVoid, TeInvoke, TeResume, TeUnreachable, TeOpaque
};

enum FlagBit : uint8_t {
  FlNsw = 1, FlNuw = 2, FlExact = 4, FlDisjoint = 8, FlNneg = 16, FlSamesign = 32, FlInbounds = 64
};

// The index in FloatKind, or -1.
int floatKind(const Type *T) {
  switch (T->getTypeID()) {
  case Type::HalfTyID: return 0;
  case Type::BFloatTyID: return 1;
  case Type::FloatTyID: return 2;
  case Type::DoubleTyID: return 3;
  case Type::X86_FP80TyID: return 4;
  case Type::FP128TyID: return 5;
  default: return -1;
  }
}

// Address space 0 is memory as the language knows it; others have their own rules (`gs:` on x86).
bool isPointer(const Type *T) { return T->isPointerTy() && T->getPointerAddressSpace() == 0; }
bool isIntOrPointer(const Type *T) { return T->isIntegerTy() || isPointer(T); }
bool hasFixedSize(Type *T) { return T->isSized() && !T->isScalableTy(); }

// The flags by which an instruction promises something.
uint8_t flagsOf(const Instruction &I) {
  uint8_t Flags = 0;
  if (auto *O = dyn_cast<OverflowingBinaryOperator>(&I))
    Flags |= (O->hasNoSignedWrap() ? FlNsw : 0) | (O->hasNoUnsignedWrap() ? FlNuw : 0);
  if (auto *O = dyn_cast<TruncInst>(&I))
    Flags |= (O->hasNoSignedWrap() ? FlNsw : 0) | (O->hasNoUnsignedWrap() ? FlNuw : 0);
  if (auto *O = dyn_cast<PossiblyExactOperator>(&I))
    Flags |= O->isExact() ? FlExact : 0;
  if (auto *O = dyn_cast<PossiblyDisjointInst>(&I))
    Flags |= O->isDisjoint() ? FlDisjoint : 0;
  if (auto *O = dyn_cast<PossiblyNonNegInst>(&I))
    Flags |= O->hasNonNeg() ? FlNneg : 0;
  if (auto *O = dyn_cast<ICmpInst>(&I))
    Flags |= O->hasSameSign() ? FlSamesign : 0;
  if (auto *O = dyn_cast<GetElementPtrInst>(&I))
    Flags |= (O->isInBounds() ? FlInbounds : 0) | (O->hasNoUnsignedWrap() ? FlNuw : 0);
  return Flags;
}

class Writer {
  Module &M;
  const DataLayout &DL;
  const unsigned PointerBits;
  Buffer Out; // globals and functions

  Buffer Types;
  struct TypeInfo {
    uint32_t Index;
    unsigned Depth;
    uint64_t Nodes;
  };
  DenseMap<const Type *, TypeInfo> TypeInfos;
  DenseMap<const MDNode *, std::string> StructNames;

  DebugInfo Debug;

  DenseMap<const GlobalVariable *, uint32_t> Globals;
  DenseMap<const Function *, uint32_t> Functions;
  DenseMap<const BasicBlock *, uint32_t> Blocks;
  DenseMap<const Value *, uint32_t> Values; // of the function at hand
  uint64_t ConstantsWritten = 0;

public:
  explicit Writer(Module &M)
      : M(M), DL(M.getDataLayout()), PointerBits(DL.getPointerSizeInBits(0)), Debug(M) {}

  std::string write() {
    for (const GlobalVariable &G : M.globals())
      Globals.try_emplace(&G, Globals.size());
    for (const Function &F : M) {
      Functions.try_emplace(&F, Functions.size());
      uint32_t Number = 0;
      for (const BasicBlock &B : F)
        Blocks[&B] = Number++;
    }
    Out.number(Globals.size());
    for (const GlobalVariable &G : M.globals())
      global(G);
    Out.number(Functions.size());
    for (const Function &F : M)
      function(F);

    Buffer All;
    All.text(M.getSourceFileName());
    All.number(PointerBits);
    All.flag(DL.isBigEndian());
    All.text(M.getModuleInlineAsm());
    Buffer SourceTypes = Debug.types();
    All.append(Debug.files());
    All.number(TypeInfos.size());
    All.append(Types);
    All.append(SourceTypes);
    All.append(Out);
    return All.bytes().str();
  }

private:
  // ---- types

  const TypeInfo &typeInfo(Type *T) {
    auto Known = TypeInfos.find(T);
    if (Known != TypeInfos.end())
      return Known->second;
    Buffer Node;
    TypeInfo Info{0, 1, 1};
    auto other = [&] {
      Node = Buffer();
      Info.Depth = Info.Nodes = 1;
      Node.byte(TyOther);
      Node.number(hasFixedSize(T) ? DL.getTypeAllocSize(T).getFixedValue() : 0);
    };
    auto member = [&](Type *Inner) {
      TypeInfo I = typeInfo(Inner);
      Info.Depth = std::max(Info.Depth, I.Depth + 1);
      Info.Nodes += I.Nodes;
      Node.number(I.Index);
    };
    if (T->isVoidTy()) {
      Node.byte(TyVoid);
    } else if (T->isIntegerTy()) {
      Node.byte(TyInt);
      Node.number(T->getIntegerBitWidth());
    } else if (isPointer(T)) {
      Node.byte(TyPtr);
    } else if (floatKind(T) >= 0) {
      Node.byte(TyFloat);
      Node.byte(floatKind(T));
    } else if (auto *S = dyn_cast<StructType>(T); S && hasFixedSize(T)) {
      const StructLayout *Layout = DL.getStructLayout(S);
      Node.byte(TyStruct);
      Node.number(Layout->getSizeInBytes().getFixedValue());
      Node.number(S->getNumElements());
      for (unsigned N = 0; N < S->getNumElements(); ++N) {
        Node.number(Layout->getElementOffset(N).getFixedValue());
        member(S->getElementType(N));
      }
    } else if (auto *A = dyn_cast<ArrayType>(T); A && hasFixedSize(T)) {
      Node.byte(TyArray);
      member(A->getElementType());
      Node.number(A->getNumElements());
      Node.number(DL.getTypeAllocSize(A->getElementType()).getFixedValue());
    } else {
      other();
    }
    if (Info.Depth > MaxDepth || Info.Nodes > MaxTypeNodes)
      other();
    // Members come first, so a type only refers to smaller numbers.
    Info.Index = TypeInfos.size();
    Types.append(Node);
    return TypeInfos.try_emplace(T, Info).first->second;
  }

  void type(Type *T) { Out.number(typeInfo(T).Index); }

  // ---- constants and operands

  // The constant that an address starts from, and how many bytes further it is.
  std::pair<const Constant *, int64_t> address(const Constant *C) const {
    int64_t Offset = 0;
    for (unsigned N = 0; N < MaxChain; ++N) {
      if (auto *A = dyn_cast<GlobalAlias>(C)) {
        // Another definition may take the place of a weak one when the program is linked.
        if (A->isInterposable())
          break;
        C = A->getAliasee();
      } else if (auto *E = dyn_cast<DSOLocalEquivalent>(C)) {
        C = E->getGlobalValue();
      } else if (auto *V = dyn_cast<NoCFIValue>(C)) {
        C = V->getGlobalValue();
      } else if (auto *E = dyn_cast<ConstantExpr>(C)) {
        if (E->getOpcode() == Instruction::AddrSpaceCast ||
            (E->getOpcode() == Instruction::BitCast && E->getOperand(0)->getType()->isPointerTy())) {
          C = E->getOperand(0);
        } else if (E->getOpcode() == Instruction::GetElementPtr) {
          APInt Bytes(DL.getIndexTypeSizeInBits(E->getType()), 0);
          if (!cast<GEPOperator>(E)->accumulateConstantOffset(DL, Bytes) || Bytes.getBitWidth() > 64)
            break;
          Offset = wrapped(Offset, Bytes.getSExtValue());
          C = E->getOperand(0);
        } else {
          break;
        }
      } else {
        break;
      }
    }
    return {C, Offset};
  }

  // The sum as an offset of a pointer's width.
  int64_t wrapped(int64_t A, int64_t B) const {
    uint64_t Sum = static_cast<uint64_t>(A) + static_cast<uint64_t>(B);
    return PointerBits < 64 ? SignExtend64(Sum, PointerBits) : static_cast<int64_t>(Sum);
  }

  void bits(const APInt &Value) {
    Out.number(Value.getRawData()[0]);
    if (Value.getBitWidth() > 64)
      Out.number(Value.getRawData()[1]);
  }

  void integer(const APInt &Value) {
    Out.byte(OpInt);
    Out.number(Value.getBitWidth());
    bits(Value);
  }

  void opaque(Type *T) {
    Out.byte(OpOpaque);
    type(T);
    Out.number(0);
  }

  // What is not understood, with the globals and functions whose addresses it is made from.
  void opaque(const Constant *C) {
    Out.byte(OpOpaque);
    type(C->getType());
    SmallVector<const Constant *, 8> Open{C}, Found;
    SmallPtrSet<const Constant *, 16> Seen;
    while (!Open.empty()) {
      const Constant *Next = address(Open.pop_back_val()).first;
      if (!Seen.insert(Next).second)
        continue;
      if (isa<GlobalVariable, Function>(Next)) {
        Found.push_back(Next);
        continue;
      }
      for (const Use &U : Next->operands())
        if (auto *Part = dyn_cast<Constant>(U))
          Open.push_back(Part);
    }
    Out.number(Found.size());
    for (const Constant *F : Found) {
      if (auto *G = dyn_cast<GlobalVariable>(F)) {
        Out.byte(OpGlobal);
        Out.number(Globals.lookup(G));
        Out.offset(0);
      } else {
        Out.byte(OpFunction);
        Out.number(Functions.lookup(cast<Function>(F)));
      }
    }
  }

  // Whether it was an address that there is a form for.
  bool pointer(const Constant *C, unsigned Depth) {
    auto [Base, Offset] = address(C);
    if (auto *G = dyn_cast<GlobalVariable>(Base)) {
      Out.byte(OpGlobal);
      Out.number(Globals.lookup(G));
      Out.offset(Offset);
      return true;
    }
    if (auto *F = dyn_cast<Function>(Base); F && Offset == 0) {
      Out.byte(OpFunction);
      Out.number(Functions.lookup(F));
      return true;
    }
    if (auto *B = dyn_cast<BlockAddress>(Base); B && Offset == 0) {
      Out.byte(OpBlock);
      Out.number(Functions.lookup(B->getFunction()));
      Out.number(Blocks.lookup(B->getBasicBlock()));
      return true;
    }
    if (!isPointer(Base->getType()))
      return false;
    APInt Address(PointerBits, 0);
    if (auto *E = dyn_cast<ConstantExpr>(Base); E && E->getOpcode() == Instruction::IntToPtr) {
      auto *I = dyn_cast<ConstantInt>(E->getOperand(0));
      if (!I) {
        if (Offset != 0)
          return false;
        Out.byte(OpIntToPtr);
        constant(E->getOperand(0), Depth + 1);
        return true;
      }
      Address = I->getValue().zextOrTrunc(PointerBits);
    } else if (!isa<ConstantPointerNull>(Base)) {
      return false;
    } else if (Offset == 0) {
      Out.byte(OpNull);
      return true;
    }
    Out.byte(OpIntToPtr);
    integer(Address + APInt(PointerBits, static_cast<uint64_t>(Offset), true, true));
    return true;
  }

  void constant(const Constant *C, unsigned Depth = 0) {
    Type *T = C->getType();
    if (Depth > MaxDepth || ++ConstantsWritten > MaxConstants)
      return opaque(C);
    if (isa<UndefValue>(C)) {
      Out.byte(isa<PoisonValue>(C) ? OpPoison : OpUndef);
      return type(T);
    }
    if (isPointer(T)) {
      if (!pointer(C, Depth))
        opaque(C);
      return;
    }
    if (isa<ConstantAggregateZero>(C)) {
      Out.byte(OpZero);
      return type(T);
    }
    if (T->isIntegerTy()) {
      if (auto *I = dyn_cast<ConstantInt>(C); I && I->getBitWidth() <= 128)
        return integer(I->getValue());
      if (auto *E = dyn_cast<ConstantExpr>(C);
          E && E->getOpcode() == Instruction::PtrToInt && isPointer(E->getOperand(0)->getType())) {
        Out.byte(OpPtrToInt);
        Out.number(T->getIntegerBitWidth());
        return constant(E->getOperand(0), Depth + 1);
      }
    } else if (floatKind(T) >= 0) {
      if (auto *F = dyn_cast<ConstantFP>(C)) {
        Out.byte(OpFloat);
        Out.byte(floatKind(T));
        Out.number(T->getPrimitiveSizeInBits().getFixedValue());
        return bits(F->getValueAPF().bitcastToAPInt());
      }
    } else if (auto *D = dyn_cast<ConstantDataArray>(C)) {
      if (D->getElementType()->isIntegerTy(8)) {
        Out.byte(OpBytes);
        return Out.text(D->getRawDataValues());
      }
      Out.byte(OpAggregate);
      type(T);
      Out.number(D->getNumElements());
      for (unsigned N = 0; N < D->getNumElements(); ++N)
        constant(D->getElementAsConstant(N), Depth + 1);
      return;
    } else if (isa<ConstantStruct, ConstantArray>(C)) {
      Out.byte(OpAggregate);
      type(T);
      Out.number(C->getNumOperands());
      for (const Use &U : C->operands())
        constant(cast<Constant>(U), Depth + 1);
      return;
    }
    opaque(C);
  }

  void operand(const Value *V) {
    if (auto *C = dyn_cast<Constant>(V))
      return constant(C);
    auto Known = Values.find(V);
    // Metadata and the like are no values.
    if (Known == Values.end())
      return opaque(V->getType());
    Out.byte(OpValue);
    Out.number(Known->second);
  }

  // ---- globals

  // Whether other files know an object or a function by this or by another name.
  static bool isExternal(const GlobalValue &G) {
    if (!G.hasLocalLinkage())
      return true;
    for (const GlobalAlias &A : G.getParent()->aliases())
      if (!A.hasLocalLinkage() && A.getAliaseeObject() == &G)
        return true;
    return false;
  }

  // Whether its initial value is written.
  static bool isInitialKnown(const GlobalVariable &G) {
    // Another definition may take the place of a weak one when the program is linked.
    return G.hasInitializer() && !G.isExternallyInitialized() && !G.isInterposable();
  }

  // Nothing is known of a body that is not all there: a naked function returns inside its assembly, and prologue data
  // run first.
  static bool isBodyKnown(const Function &F) { return !F.hasFnAttribute(Attribute::Naked) && !F.hasPrologueData(); }

  // Whether its address is used by something that is not written: then nobody knows for what.
  static bool isUsedElsewhere(const GlobalValue &G) {
    SmallVector<const Value *, 8> Open{&G};
    SmallPtrSet<const Value *, 16> Seen;
    while (!Open.empty()) {
      for (const User *U : Open.pop_back_val()->users()) {
        if (auto *I = dyn_cast<Instruction>(U)) {
          const Function &F = *I->getFunction();
          // What may be replaced is as good as declared only, and yet what is there may be what runs.
          if (!isBodyKnown(F) || (F.isInterposable() && F.getName() != "main"))
            return true;
        } else if (auto *V = dyn_cast<GlobalVariable>(U)) {
          if (!isInitialKnown(*V))
            return true;
        } else if (isa<GlobalValue>(U) && !isa<GlobalAlias>(U)) {
          // A resolver, prefix data.
          return true;
        } else if (Seen.insert(U).second) {
          Open.push_back(U);
        }
      }
    }
    return false;
  }

  void global(const GlobalVariable &G) {
    Type *T = G.getValueType();
    Out.text(G.getName());
    SmallVector<DIGlobalVariableExpression *, 1> Expressions;
    G.getDebugInfo(Expressions);
    const DIGlobalVariable *Variable = nullptr;
    for (const DIGlobalVariableExpression *E : Expressions)
      if (!Variable && E->getExpression()->getNumElements() == 0)
        Variable = E->getVariable();
    Out.flag(Variable);
    if (Variable)
      Debug.variable(Out, Variable, 0, 0);
    Out.number(hasFixedSize(T) ? DL.getTypeAllocSize(T).getFixedValue() : 0);
    type(T);
    Out.flag(G.isConstant());
    Out.flag(isExternal(G));
    Out.flag(isUsedElsewhere(G));
    Out.flag(G.hasExternalWeakLinkage());
    Out.flag(G.isThreadLocal());
    Out.flag(G.hasGlobalUnnamedAddr());
    Out.number(G.getPointerAlignment(DL).value());
    Out.text(G.getSection());
    Out.flag(isInitialKnown(G));
    if (isInitialKnown(G))
      constant(G.getInitializer());
  }

  // ---- functions

  // Whether a terminator has an instruction of its own, which is then the last of its block.
  static bool isAlsoInstruction(const Instruction &I) { return isa<CallBase>(I) || !I.getType()->isVoidTy(); }
  static bool isDebug(const Instruction &I) { return isa<DbgInfoIntrinsic>(I); }
  static bool isWritten(const Instruction &I) {
    return !isDebug(I) && (!I.isTerminator() || isAlsoInstruction(I));
  }

  void function(const Function &F) {
    Values.clear();
    Out.text(F.getName());
    const DISubprogram *Program = F.getSubprogram();
    std::string Source = Program ? Program->getName().str() : demangle(F.getName());
    bool Differs = !Source.empty() && Source != F.getName();
    Out.flag(Differs);
    if (Differs)
      Out.text(Source);
    Out.flag(isExternal(F));
    Out.flag(isUsedElsewhere(F));
    Out.flag(F.isInterposable());
    Out.flag(F.hasGlobalUnnamedAddr());
    Out.flag(F.hasSection());
    promise(F.getAttributes().getRetAttrs());
    Out.number(F.arg_size());
    for (const Argument &A : F.args()) {
      Values.try_emplace(&A, Values.size());
      type(A.getType());
      Out.number(A.getParamAlign().valueOrOne().value());
      objectSize(A.getParamByValType());
      objectSize(A.getParamStructRetType());
      Out.flag(A.hasNoAliasAttr());
      // What an optimiser may take for granted, since nothing else may be handed over.
      Out.flag(A.hasNonNullAttr(false) || A.getDereferenceableBytes() > 0);
      promise(F.getAttributes().getParamAttrs(A.getArgNo()));
    }
    type(F.getReturnType());
    Out.flag(F.isVarArg());
    Out.flag(F.doesNotReturn());
    Debug.place(Out, Program ? Program->getFile() : nullptr, Program ? Program->getLine() : 0, 0);

    if (!isBodyKnown(F)) {
      Out.number(0);
      Out.number(0);
      Out.number(0);
      return;
    }
    for (const BasicBlock &B : F)
      for (const Instruction &I : B)
        if (isWritten(I))
          Values.try_emplace(&I, Values.size());
    Buffer Declares, Named;
    uint64_t DeclaresCount = 0, NamedCount = 0;
    Out.number(F.size());
    uint64_t BlockNumber = 0;
    for (const BasicBlock &B : F) {
      uint64_t Count = 0, Position = 0;
      for (const Instruction &I : B)
        Count += isWritten(I);
      Out.number(Count);
      for (const Instruction &I : B) {
        for (const DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
          if (R.getType() == DbgVariableRecord::LocationType::Declare)
            declared(Declares, DeclaresCount, R, BlockNumber, Position);
          else
            named(Named, NamedCount, R);
        }
        if (auto *D = dyn_cast<DbgDeclareInst>(&I))
          declared(Declares, DeclaresCount, *D, BlockNumber, Position);
        else if (auto *V = dyn_cast<DbgValueInst>(&I))
          named(Named, NamedCount, *V);
        if (isWritten(I)) {
          instruction(I);
          ++Position;
        }
      }
      ++BlockNumber;
      terminator(*B.getTerminator());
    }
    Out.number(DeclaresCount);
    Out.append(Declares);
    Out.number(NamedCount);
    Out.append(Named);
  }

  // A declaration, and where it stands: the block, and how many instructions come before it there.
  template <class Record>
  void declared(Buffer &To, uint64_t &Count, const Record &R, uint64_t BlockNumber, uint64_t Position) {
    uint64_t Before = Count;
    named(To, Count, R);
    if (Count == Before)
      return;
    To.number(BlockNumber);
    To.number(Position);
  }

  void objectSize(Type *T) {
    Out.flag(T);
    if (T)
      Out.number(hasFixedSize(T) ? DL.getTypeAllocSize(T).getFixedValue() : 0);
  }

  // A variable that this very value is or points to. With an expression it would be a part of the variable, or another
  // value.
  template <typename Record> void named(Buffer &B, uint64_t &Count, const Record &R) {
    if (R.hasArgList() || R.getNumVariableLocationOps() != 1 || R.getExpression()->getNumElements() != 0)
      return;
    auto Known = Values.find(R.getVariableLocationOp(0));
    if (Known == Values.end())
      return;
    ++Count;
    B.number(Known->second);
    const DILocalVariable *V = R.getVariable();
    const DILocation *L = R.getDebugLoc().get();
    Debug.variable(B, V, V->getArg(), L && L->getLine() == V->getLine() ? L->getColumn() : 0);
  }

  // ---- promises about values: where one is broken the value is poison, and with `noundef` that is undefined behaviour

  void range(const APInt &Lower, const APInt &Upper) {
    Out.number(Lower.getBitWidth());
    bits(Lower);
    bits(Upper);
  }

  // Of attributes, of a call and of the function that it names: all of them hold.
  void promise(AttributeSet A, AttributeSet B = AttributeSet()) {
    auto either = [&](Attribute::AttrKind K) { return A.hasAttribute(K) || B.hasAttribute(K); };
    Out.flag(either(Attribute::NoUndef));
    // `dereferenceable` does not allow null, in address space 0.
    Out.flag(either(Attribute::NonNull) || either(Attribute::Dereferenceable));
    SmallVector<ConstantRange, 2> Ranges;
    for (AttributeSet S : {A, B})
      if (S.hasAttribute(Attribute::Range) && S.getAttribute(Attribute::Range).getRange().getBitWidth() <= 128)
        Ranges.push_back(S.getAttribute(Attribute::Range).getRange());
    Out.number(Ranges.size());
    for (const ConstantRange &R : Ranges) {
      Out.number(1);
      range(R.getLower(), R.getUpper());
    }
  }

  // Of a load's metadata. The parts of `!range` are alternatives.
  void promise(const LoadInst &L) {
    Out.flag(L.hasMetadata(LLVMContext::MD_noundef));
    Out.flag(L.hasMetadata(LLVMContext::MD_nonnull) || L.hasMetadata(LLVMContext::MD_dereferenceable));
    const MDNode *R = L.getMetadata(LLVMContext::MD_range);
    if (!R || !L.getType()->isIntegerTy() || L.getType()->getIntegerBitWidth() > 128)
      return Out.number(0);
    Out.number(1);
    Out.number(R->getNumOperands() / 2);
    for (unsigned N = 0; N + 1 < R->getNumOperands(); N += 2)
      range(mdconst::extract<ConstantInt>(R->getOperand(N))->getValue(),
            mdconst::extract<ConstantInt>(R->getOperand(N + 1))->getValue());
  }

  // The type of the source by which memory is accessed, with those that it is a kind of before it; nothing where that is any type.
  void accessType(const Instruction &I) {
    const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
    const MDNode *Type = Tag && Tag->getNumOperands() >= 3 ? dyn_cast_or_null<MDNode>(Tag->getOperand(1)) : nullptr;
    std::string Path;
    for (unsigned Depth = 0; Type && Depth < 16; ++Depth) {
      auto *Name = Type->getNumOperands() ? dyn_cast_or_null<MDString>(Type->getOperand(0)) : nullptr;
      if (!Name) {
        Path.clear();
        break;
      }
      if (Name->getString() == "omnipotent char")
        break;
      Path = Name->getString().str() + "/" + Path;
      Type = Type->getNumOperands() >= 2 ? dyn_cast_or_null<MDNode>(Type->getOperand(1)) : nullptr;
    }
    Out.text(Path);
    // The struct that the access names a member of, the member's offset, and the structs in it.
    const MDNode *Base = Tag && Tag->getNumOperands() >= 3 ? dyn_cast_or_null<MDNode>(Tag->getOperand(0)) : nullptr;
    auto *Offset = Base ? mdconst::dyn_extract_or_null<ConstantInt>(Tag->getOperand(2)) : nullptr;
    std::string Name = Base && Base != Tag->getOperand(1) && Offset && !Path.empty() ? structName(Base) : "";
    Out.text(Name);
    Out.number(Name.empty() ? 0 : Offset->getZExtValue());
    std::set<std::string> Inside;
    if (!Name.empty())
      structsIn(Base, Inside, 0);
    Out.number(Inside.size());
    for (const std::string &S : Inside)
      Out.text(S);
  }

  // The name of a type in the tree of types, with a number made from what it is made of: two structs in different scopes may have
  // one name, and some have none. Two that look the same count as one.
  std::string structName(const MDNode *Type, unsigned Depth = 0) {
    auto *Name = Type->getNumOperands() ? dyn_cast_or_null<MDString>(Type->getOperand(0)) : nullptr;
    if (!Name || Depth > 32)
      return "";
    if (auto Known = StructNames.find(Type); Known != StructNames.end())
      return Known->second;
    std::string Made;
    for (unsigned N = 1; N + 1 < Type->getNumOperands(); N += 2) {
      const MDNode *Member = dyn_cast_or_null<MDNode>(Type->getOperand(N));
      auto *Offset = mdconst::dyn_extract_or_null<ConstantInt>(Type->getOperand(N + 1));
      std::string Inner = Member ? structName(Member, Depth + 1) : "";
      if (Inner.empty() || !Offset)
        return "";
      Made += Inner + "@" + std::to_string(Offset->getZExtValue()) + ",";
    }
    Made = Name->getString().str() + "#" + utohexstr(xxh3_64bits(Made));
    return StructNames.try_emplace(Type, Made).first->second;
  }

  void structsIn(const MDNode *Type, std::set<std::string> &Inside, unsigned Depth) {
    // Members and their offsets take turns. What is nested too deep, or has no name, may be anything.
    for (unsigned N = 1; N + 1 < Type->getNumOperands(); N += 2) {
      const MDNode *Member = dyn_cast_or_null<MDNode>(Type->getOperand(N));
      if (!Member)
        continue;
      std::string Name = structName(Member);
      if (Depth > 32)
        Name = "";
      if (Inside.insert(Name).second && Depth <= 32)
        structsIn(Member, Inside, Depth + 1);
    }
  }

  void block(const BasicBlock *B) { Out.number(Blocks.lookup(B)); }

  void opaqueInstruction(const Instruction &I) {
    Out.byte(InOpaque);
    Out.text(I.getOpcodeName());
    Out.flag(I.mayHaveSideEffects());
    uint64_t Count = 0;
    for (const Use &U : I.operands())
      Count += !isa<BasicBlock>(U);
    Out.number(Count);
    for (const Use &U : I.operands())
      if (!isa<BasicBlock>(U))
        operand(U);
  }

  void instruction(const Instruction &I) {
    type(I.getType());
    Debug.place(Out, I.getDebugLoc().get());
    Out.flag(I.hasMetadata(LLVMContext::MD_nosanitize));
    if (!operation(I))
      opaqueInstruction(I);
  }

  // Whether a floating-point instruction gives something else than IEEE 754 says: fast-math flags change results, and some make
  // them poison; some functions flush subnormal numbers to zero.
  static bool changesFloats(const Instruction &I) {
    auto *F = dyn_cast<FPMathOperator>(&I);
    if (!F)
      return false;
    Type *T = isa<FCmpInst>(I) ? I.getOperand(0)->getType() : I.getType();
    auto flushes = [&](const fltSemantics &S) { return I.getFunction()->getDenormalMode(S) != DenormalMode::getIEEE(); };
    return F->getFastMathFlags().any() || (T->isFloatTy() && flushes(APFloat::IEEEsingle())) ||
           (T->isDoubleTy() && flushes(APFloat::IEEEdouble()));
  }

  // Whether there is a form for it; if not, nothing has been written.
  bool operation(const Instruction &I) {
    Type *T = I.getType();
    auto isMemory = [](const Value *Pointer, Type *Accessed) {
      return isPointer(Pointer->getType()) && hasFixedSize(Accessed);
    };
    auto storeSize = [&](Type *Accessed) { return DL.getTypeStoreSize(Accessed).getFixedValue(); };
    if (auto *C = dyn_cast<CallBase>(&I)) {
      if (isa<CallBrInst>(C) || (isa<IntrinsicInst>(C) && changesFloats(I)))
        return false;
      call(*C);
      return true;
    }
    if (changesFloats(I))
      return false;
    switch (I.getOpcode()) {
    case Instruction::Alloca: {
      auto &A = cast<AllocaInst>(I);
      if (!isMemory(&A, A.getAllocatedType()))
        return false;
      Out.byte(InAlloca);
      Out.number(DL.getTypeAllocSize(A.getAllocatedType()).getFixedValue());
      operand(A.getArraySize());
      Out.number(A.getAlign().value());
      return true;
    }
    case Instruction::Load: {
      auto &L = cast<LoadInst>(I);
      if (!isMemory(L.getPointerOperand(), T))
        return false;
      Out.byte(InLoad);
      operand(L.getPointerOperand());
      Out.number(storeSize(T));
      Out.number(L.getAlign().value());
      Out.flag(L.isVolatile());
      Out.flag(L.isAtomic());
      promise(L);
      accessType(L);
      return true;
    }
    case Instruction::Store: {
      auto &S = cast<StoreInst>(I);
      Type *Stored = S.getValueOperand()->getType();
      if (!isMemory(S.getPointerOperand(), Stored))
        return false;
      Out.byte(InStore);
      operand(S.getValueOperand());
      operand(S.getPointerOperand());
      type(Stored);
      Out.number(storeSize(Stored));
      Out.number(S.getAlign().value());
      Out.flag(S.isVolatile());
      Out.flag(S.isAtomic());
      accessType(S);
      return true;
    }
    case Instruction::GetElementPtr:
      return gep(cast<GetElementPtrInst>(I));
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      if (!T->isIntegerTy())
        return false;
      Out.byte(InBinary);
      Out.byte(binaryIndex(I.getOpcode()));
      operand(I.getOperand(0));
      operand(I.getOperand(1));
      Out.byte(flagsOf(I));
      return true;
    case Instruction::ICmp: {
      Type *Compared = I.getOperand(0)->getType();
      if (!isIntOrPointer(Compared))
        return false;
      Out.byte(InCompare);
      Out.byte(cast<ICmpInst>(I).getPredicate() - CmpInst::FIRST_ICMP_PREDICATE);
      operand(I.getOperand(0));
      operand(I.getOperand(1));
      type(Compared);
      Out.byte(flagsOf(I));
      return true;
    }
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::FNeg:
      if (floatKind(T) < 0)
        return false;
      Out.byte(InFloat);
      Out.byte(floatIndex(I.getOpcode()));
      operand(I.getOperand(0));
      Out.flag(I.getNumOperands() == 2);
      if (I.getNumOperands() == 2)
        operand(I.getOperand(1));
      return true;
    case Instruction::FCmp:
      if (floatKind(I.getOperand(0)->getType()) < 0)
        return false;
      Out.byte(InFloatCompare);
      Out.text(CmpInst::getPredicateName(cast<FCmpInst>(I).getPredicate()));
      operand(I.getOperand(0));
      operand(I.getOperand(1));
      return true;
    case Instruction::Select:
      if (!I.getOperand(0)->getType()->isIntegerTy())
        return false;
      Out.byte(InSelect);
      for (const Use &U : I.operands())
        operand(U);
      return true;
    case Instruction::PHI: {
      auto &P = cast<PHINode>(I);
      Out.byte(InPhi);
      Out.number(P.getNumIncomingValues());
      for (unsigned N = 0; N < P.getNumIncomingValues(); ++N) {
        block(P.getIncomingBlock(N));
        operand(P.getIncomingValue(N));
      }
      return true;
    }
    case Instruction::Freeze:
      Out.byte(InFreeze);
      operand(I.getOperand(0));
      return true;
    case Instruction::ExtractValue:
      Out.byte(InExtractValue);
      operand(I.getOperand(0));
      path(cast<ExtractValueInst>(I).getIndices());
      return true;
    case Instruction::InsertValue:
      Out.byte(InInsertValue);
      operand(I.getOperand(0));
      operand(I.getOperand(1));
      path(cast<InsertValueInst>(I).getIndices());
      return true;
    case Instruction::AtomicRMW: {
      auto &A = cast<AtomicRMWInst>(I);
      if (!isMemory(A.getPointerOperand(), T))
        return false;
      Out.byte(InAtomicRmw);
      Out.text(AtomicRMWInst::getOperationName(A.getOperation()));
      operand(A.getPointerOperand());
      operand(A.getValOperand());
      Out.number(storeSize(T));
      return true;
    }
    case Instruction::AtomicCmpXchg: {
      auto &A = cast<AtomicCmpXchgInst>(I);
      Type *Stored = A.getNewValOperand()->getType();
      if (!isMemory(A.getPointerOperand(), Stored))
        return false;
      Out.byte(InCompareExchange);
      operand(A.getPointerOperand());
      operand(A.getCompareOperand());
      operand(A.getNewValOperand());
      Out.number(storeSize(Stored));
      return true;
    }
    case Instruction::VAArg:
      Out.byte(InVaArg);
      operand(I.getOperand(0));
      return true;
    case Instruction::LandingPad:
      Out.byte(InLandingPad);
      return true;
    case Instruction::Fence:
      Out.byte(InFence);
      return true;
    default:
      return I.isCast() && castOperation(cast<CastInst>(I));
    }
  }

  // The place in BinOp.
  static uint8_t binaryIndex(unsigned Opcode) {
    switch (Opcode) {
    case Instruction::Add: return 0;
    case Instruction::Sub: return 1;
    case Instruction::Mul: return 2;
    case Instruction::UDiv: return 3;
    case Instruction::SDiv: return 4;
    case Instruction::URem: return 5;
    case Instruction::SRem: return 6;
    case Instruction::And: return 7;
    case Instruction::Or: return 8;
    case Instruction::Xor: return 9;
    case Instruction::Shl: return 10;
    case Instruction::LShr: return 11;
    default: return 12;
    }
  }

  // The place in FloatOp.
  static uint8_t floatIndex(unsigned Opcode) {
    switch (Opcode) {
    case Instruction::FAdd: return 0;
    case Instruction::FSub: return 1;
    case Instruction::FMul: return 2;
    case Instruction::FDiv: return 3;
    case Instruction::FRem: return 4;
    default: return 5;
    }
  }

  // The place in CastOp, or -1.
  static int castIndex(unsigned Opcode) {
    switch (Opcode) {
    case Instruction::Trunc: return 0;
    case Instruction::ZExt: return 1;
    case Instruction::SExt: return 2;
    case Instruction::FPTrunc: return 3;
    case Instruction::FPExt: return 4;
    case Instruction::FPToUI: return 5;
    case Instruction::FPToSI: return 6;
    case Instruction::UIToFP: return 7;
    case Instruction::SIToFP: return 8;
    case Instruction::PtrToInt: return 9;
    case Instruction::IntToPtr: return 10;
    case Instruction::BitCast: return 11;
    case Instruction::AddrSpaceCast: return 12;
    default: return -1;
    }
  }

  bool castOperation(const CastInst &C) {
    bool AnyPointer = C.getOpcode() == Instruction::AddrSpaceCast;
    auto isScalar = [&](Type *T) {
      return isIntOrPointer(T) || floatKind(T) >= 0 || (AnyPointer && T->isPointerTy());
    };
    int Index = castIndex(C.getOpcode());
    if (Index < 0 || !isScalar(C.getSrcTy()) || !isScalar(C.getDestTy()))
      return false;
    Out.byte(InCast);
    Out.byte(Index);
    operand(C.getOperand(0));
    type(C.getSrcTy());
    Out.byte(flagsOf(C));
    return true;
  }

  void path(ArrayRef<unsigned> Indices) {
    Out.number(Indices.size());
    for (unsigned Index : Indices)
      Out.number(Index);
  }

  bool gep(const GetElementPtrInst &G) {
    // `inbounds` implies `nusw`; by itself it is a promise that there is no flag for.
    if (!isPointer(G.getType()) || (G.hasNoUnsignedSignedWrap() && !G.isInBounds()))
      return false;
    int64_t Offset = 0;
    SmallVector<std::pair<const Value *, int64_t>, 4> Indices;
    for (auto Step = gep_type_begin(G), End = gep_type_end(G); Step != End; ++Step) {
      const Value *Index = Step.getOperand();
      if (StructType *S = Step.getStructTypeOrNull()) {
        uint64_t Member = cast<ConstantInt>(Index)->getZExtValue();
        if (!hasFixedSize(S))
          return false;
        Offset = wrapped(Offset, DL.getStructLayout(S)->getElementOffset(Member).getFixedValue());
        continue;
      }
      if (!hasFixedSize(Step.getIndexedType()) || !Index->getType()->isIntegerTy())
        return false;
      uint64_t Scale = Step.getSequentialElementStride(DL).getFixedValue();
      if (auto *Known = dyn_cast<ConstantInt>(Index)) {
        uint64_t Number = Known->getValue().sextOrTrunc(64).getZExtValue();
        Offset = wrapped(Offset, static_cast<int64_t>(Number * Scale));
      } else if (Scale != 0) {
        // A wider index would be cut off first.
        if (Index->getType()->getIntegerBitWidth() > DL.getIndexTypeSizeInBits(G.getType()))
          return false;
        Indices.push_back({Index, static_cast<int64_t>(Scale)});
      }
    }
    Out.byte(InGep);
    operand(G.getPointerOperand());
    Out.offset(Offset);
    Out.number(Indices.size());
    for (auto [Index, Scale] : Indices) {
      operand(Index);
      Out.offset(Scale);
    }
    Out.byte(flagsOf(G));
    return true;
  }

  void call(const CallBase &C) {
    Out.byte(InCall);
    const Value *Callee = C.getCalledOperand()->stripPointerCasts();
    const Function *Direct = nullptr;
    if (auto *Known = dyn_cast<Constant>(Callee)) {
      auto [Base, Offset] = address(Known);
      Direct = Offset == 0 ? dyn_cast<Function>(Base) : nullptr;
    }
    if (Direct) {
      Out.byte(0);
      Out.number(Functions.lookup(Direct));
    } else if (auto *Assembly = dyn_cast<InlineAsm>(Callee)) {
      Out.byte(2);
      Out.text(Assembly->getAsmString());
    } else {
      Out.byte(1);
      operand(Callee);
    }
    Out.number(C.arg_size());
    for (const Use &U : C.args())
      operand(U);
    const Function *Named = C.getCalledFunction();
    for (unsigned N = 0; N < C.arg_size(); ++N)
      promise(C.getAttributes().getParamAttrs(N),
              Named && N < Named->arg_size() ? Named->getAttributes().getParamAttrs(N) : AttributeSet());
    promise(C.getAttributes().getRetAttrs(), Named ? Named->getAttributes().getRetAttrs() : AttributeSet());
    Out.flag(C.doesNotReturn());
    Out.flag(C.doesNotThrow());
    // `__builtin_setjmp` does, without saying so.
    auto *Intrinsic = dyn_cast<IntrinsicInst>(&C);
    Out.flag(C.hasFnAttr(Attribute::ReturnsTwice) ||
             (Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp));
    Out.flag(changesFloats(C));
    Out.flag(C.hasOperandBundles());
  }

  // ---- terminators

  void terminator(const Instruction &I) {
    terminatorOperation(I);
    Debug.place(Out, I.getDebugLoc().get());
    const DILocation *Start = nullptr;
    if (const MDNode *Loop = I.getMetadata(LLVMContext::MD_loop))
      for (const MDOperand &O : Loop->operands())
        if (!Start)
          Start = dyn_cast_or_null<DILocation>(O.get());
    Debug.place(Out, Start);
  }

  void terminatorOperation(const Instruction &I) {
    switch (I.getOpcode()) {
    case Instruction::Br: {
      auto &B = cast<BranchInst>(I);
      if (B.isUnconditional()) {
        Out.byte(TeJump);
        return block(B.getSuccessor(0));
      }
      Out.byte(TeBranch);
      operand(B.getCondition());
      block(B.getSuccessor(0));
      return block(B.getSuccessor(1));
    }
    case Instruction::Switch: {
      auto &S = cast<SwitchInst>(I);
      unsigned Width = S.getCondition()->getType()->getIntegerBitWidth();
      if (Width > 128)
        break;
      Out.byte(TeSwitch);
      operand(S.getCondition());
      Out.number(Width);
      Out.number(S.getNumCases());
      for (auto Case : S.cases()) {
        bits(Case.getCaseValue()->getValue());
        block(Case.getCaseSuccessor());
      }
      return block(S.getDefaultDest());
    }
    case Instruction::IndirectBr: {
      auto &J = cast<IndirectBrInst>(I);
      Out.byte(TeIndirectJump);
      operand(J.getAddress());
      return targets(I);
    }
    case Instruction::Ret:
      if (I.getNumOperands() == 0)
        return Out.byte(TeReturnVoid);
      Out.byte(TeReturn);
      return operand(I.getOperand(0));
    case Instruction::Invoke:
      Out.byte(TeInvoke);
      block(cast<InvokeInst>(I).getNormalDest());
      return block(cast<InvokeInst>(I).getUnwindDest());
    case Instruction::Resume:
      return Out.byte(TeResume);
    case Instruction::Unreachable:
      return Out.byte(TeUnreachable);
    default:
      break;
    }
    Out.byte(TeOpaque);
    Out.text(I.getOpcodeName());
    targets(I);
  }

  void targets(const Instruction &I) {
    Out.number(I.getNumSuccessors());
    for (const BasicBlock *B : successors(&I))
      block(B);
  }
};

} // namespace

std::string lariat::write(llvm::Module &M) { return Writer(M).write(); }
