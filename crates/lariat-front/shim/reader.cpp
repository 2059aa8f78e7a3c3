// Reads LLVM bitcode or assembly in a process of its own.

#include "buffer.h"
#include "module.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using lariat::Buffer;

namespace {

// The first byte of an answer; the order is that of `answer` in src/llvm/decode.rs.
enum Kind : uint8_t { Done, Malformed, Newer, Broken, Fatal, Crashed };

std::string trouble(Kind K, StringRef Words, unsigned Line = 0, unsigned Column = 0) {
  Buffer B;
  B.byte(K);
  B.number(Line);
  B.number(Column);
  B.text(Words);
  return B.bytes().str();
}

// The words of the first error.
void onDiagnostic(const DiagnosticInfo *Info, void *Words) {
  auto &First = *static_cast<std::string *>(Words);
  if (Info->getSeverity() != DS_Error || !First.empty())
    return;
  raw_string_ostream Stream(First);
  DiagnosticPrinterRawOStream Printer(Stream);
  Info->print(Printer);
}

// The major version in "LLVM22.1.8", which also begins what rustc and others write; 0 where there is none.
unsigned majorVersion(StringRef Producer) {
  unsigned Major = 0;
  if (!Producer.consume_front("LLVM") || Producer.consumeInteger(10, Major))
    return 0;
  return Major;
}

std::string firstLine(StringRef S) { return S.trim().split('\n').first.str(); }

std::string read(StringRef Input, StringRef Name) {
  // Both stay: the process ends soon, and taking them down is slow.
  auto &Context = *new LLVMContext;
  std::unique_ptr<Module> Parsed;
  std::string Words;
  Context.setDiagnosticHandlerCallBack(onDiagnostic, &Words);
  if (isBitcode(Input.bytes_begin(), Input.bytes_end())) {
    MemoryBufferRef Memory(Input, Name);
    // A newer writer may use what this reader takes for something else, so a success would mean nothing.
    Expected<std::string> Producer = getBitcodeProducerString(Memory);
    if (!Producer)
      consumeError(Producer.takeError());
    else if (majorVersion(*Producer) > LLVM_VERSION_MAJOR)
      return trouble(Newer, *Producer);
    Expected<std::unique_ptr<Module>> Result = parseBitcodeFile(Memory, Context);
    if (!Result) {
      std::string Error = toString(Result.takeError());
      return trouble(Malformed, firstLine(Error.empty() ? Words : Error));
    }
    Parsed = std::move(*Result);
  } else {
    // The copy ends in a zero byte, which the parser relies on.
    std::unique_ptr<MemoryBuffer> Memory = MemoryBuffer::getMemBufferCopy(Input, Name);
    SMDiagnostic Error;
    Parsed = parseAssembly(*Memory, Error, Context);
    if (!Parsed)
      return trouble(Malformed, Error.getMessage(), std::max(Error.getLineNo(), 0), Error.getColumnNo() + 1);
  }
  Module &M = *Parsed.release();
  if (!Words.empty())
    return trouble(Malformed, firstLine(Words));

  std::string Complaint;
  raw_string_ostream Stream(Complaint);
  bool BrokenDebugInfo = false;
  if (verifyModule(M, &Stream, &BrokenDebugInfo))
    return trouble(Broken, firstLine(Complaint));
  if (BrokenDebugInfo || getDebugMetadataVersionFromModule(M) != DEBUG_METADATA_VERSION)
    StripDebugInfo(M);
  return std::string(1, Done) + lariat::write(M);
}

// ---- the process that reads

bool sendAll(int Pipe, const void *Data, size_t Length) {
  for (auto *At = static_cast<const char *>(Data); Length > 0;) {
    ssize_t Sent = ::write(Pipe, At, Length);
    if (Sent < 0 && errno != EINTR)
      return false;
    if (Sent > 0)
      At += Sent, Length -= static_cast<size_t>(Sent);
  }
  return true;
}

bool receiveAll(int Pipe, void *Data, size_t Length) {
  for (auto *At = static_cast<char *>(Data); Length > 0;) {
    ssize_t Received = ::read(Pipe, At, Length);
    if (Received == 0 || (Received < 0 && errno != EINTR))
      return false;
    if (Received > 0)
      At += Received, Length -= static_cast<size_t>(Received);
  }
  return true;
}

[[noreturn]] void answer(int Pipe, StringRef Bytes) {
  uint64_t Length = Bytes.size();
  bool Sent = sendAll(Pipe, &Length, sizeof Length) && sendAll(Pipe, Bytes.data(), Length);
  // No destructor runs: they belong to the process that this one is a copy of.
  _exit(Sent ? 0 : 1);
}

// LLVM ends the process when a handler of fatal errors returns.
void onFatal(void *Pipe, const char *Words, bool) {
  answer(*static_cast<int *>(Pipe), trouble(Fatal, firstLine(Words)));
}

[[noreturn]] void work(int Pipe, StringRef Input, StringRef Name) {
  // Whoever sent one of these to all processes of a terminal means this one, too; what the copied handlers would do
  // is the other process's business.
  for (int Signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    signal(Signal, SIG_DFL);
  // A crash is no news for the user's terminal or disk.
  rlimit NoCore{0, 0};
  setrlimit(RLIMIT_CORE, &NoCore);
  // Nor may a damaged file keep it busy for ever; this is enough for a gigabyte of bitcode.
  rlimit Seconds{120, 120};
  setrlimit(RLIMIT_CPU, &Seconds);
  int Nowhere = open("/dev/null", O_WRONLY);
  if (Nowhere >= 0)
    dup2(Nowhere, STDERR_FILENO);

  install_fatal_error_handler(onFatal, &Pipe);
  // It would verify the module, which `read` does, and end the process over what it finds.
  auto &Options = cl::getRegisteredOptions();
  auto Found = Options.find("disable-auto-upgrade-debug-info");
  if (Found != Options.end())
    Found->second->addOccurrence(0, Found->first, "true");
  answer(Pipe, read(Input, Name));
}

} // namespace

// Reads a module and returns the answer, which `lariat_front_free` releases; null if the system is out of something.
//
// LLVM trusts the inside of bitcode, and damaged files make it crash. So it reads in a process of its own, a copy of
// this one. Such a copy has only one thread, so it must not need a lock that another thread may hold: LLVM's own locks
// are free, because only such copies use it, and the C library takes care of its memory allocator.
extern "C" uint8_t *lariat_front_read(const uint8_t *Input, size_t Length, const uint8_t *Name, size_t NameLength,
                                      size_t *AnswerLength) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return nullptr;
  pid_t Child = fork();
  if (Child == 0)
    work(Pipe[1], StringRef(reinterpret_cast<const char *>(Input), Length),
         StringRef(reinterpret_cast<const char *>(Name), NameLength));
  close(Pipe[1]);
  uint64_t Size = 0;
  uint8_t *Answer = nullptr;
  if (Child > 0 && receiveAll(Pipe[0], &Size, sizeof Size)) {
    Answer = static_cast<uint8_t *>(malloc(Size));
    if (Answer && !receiveAll(Pipe[0], Answer, Size)) {
      free(Answer);
      Answer = nullptr;
      Size = 0;
    }
  }
  close(Pipe[0]);
  if (Child < 0)
    return nullptr;
  int Status = 0;
  pid_t Ended;
  do
    Ended = waitpid(Child, &Status, 0);
  while (Ended < 0 && errno == EINTR);
  if (!Answer && Size == 0) {
    std::string Words = Ended == Child && WIFSIGNALED(Status) ? strsignal(WTERMSIG(Status)) : "no answer";
    std::string Crash = trouble(Crashed, Words);
    Size = Crash.size();
    Answer = static_cast<uint8_t *>(malloc(Size));
    if (Answer)
      memcpy(Answer, Crash.data(), Size);
  }
  *AnswerLength = Size;
  return Answer;
}

extern "C" void lariat_front_free(uint8_t *Answer) { free(Answer); }
