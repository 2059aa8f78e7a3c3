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

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace llvm;
using lariat::Buffer;

namespace {

// The first byte of an answer; the order is that of `answer` in src/llvm/decode.rs.
enum Kind : uint8_t { Done, Malformed, Newer, Broken, Fatal, Crashed, Late, NoMemory };

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

using Clock = std::chrono::steady_clock;

// Whether there is something to read, or the other end is closed, before the deadline.
bool readable(int Pipe, Clock::time_point Deadline) {
  for (;;) {
    auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(Deadline - Clock::now()).count();
    pollfd Poll{Pipe, POLLIN, 0};
    int Found = poll(&Poll, 1, static_cast<int>(std::clamp<long long>(Left, 0, 1 << 30)));
    if (Found > 0)
      return true;
    if (Found == 0 ? Left <= 0 : errno != EINTR)
      return false;
  }
}

bool receiveAll(int Pipe, void *Data, size_t Length, Clock::time_point Deadline) {
  for (auto *At = static_cast<char *>(Data); Length > 0;) {
    if (!readable(Pipe, Deadline))
      return false;
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

// What is said when there is no memory to say it with: made before, for one pipe.
std::string LastWords;
int LastPipe;

[[noreturn]] void onNoMemory() { answer(LastPipe, LastWords); }

void onNoMemoryInLLVM(void *, const char *, bool) { onNoMemory(); }

// Lowers a limit; one that is lower already stays.
void lower(decltype(RLIMIT_AS) Resource, uint64_t Wanted) {
  rlimit Now;
  if (getrlimit(Resource, &Now) == 0 && Now.rlim_cur > Wanted) {
    Now.rlim_cur = Wanted;
    setrlimit(Resource, &Now);
  }
}

// The address space that this process has; 0 where the system does not tell.
uint64_t addressSpace() {
  char Text[64] = {};
  int File = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return 0;
  ssize_t Length = ::read(File, Text, sizeof Text - 1);
  close(File);
  return Length > 0 ? strtoull(Text, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

// A pipe that no started program gets.
bool makePipe(int Pipe[2]) {
#ifdef __linux__
  return pipe2(Pipe, O_CLOEXEC) == 0;
#else
  return pipe(Pipe) == 0 && fcntl(Pipe[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(Pipe[1], F_SETFD, FD_CLOEXEC) == 0;
#endif
}

[[noreturn]] void work(int Pipe, pid_t Parent, uint64_t Milliseconds, uint64_t Memory, StringRef Input,
                       StringRef Name) {
  // It ends with the thread that waits for it, whatever way that ends, also if it has ended already. Elsewhere it ends with the
  // process group, or when its time is up.
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != Parent)
    _exit(1);
  // Whoever sent one of these to all processes of a terminal means this one, too; what the copied handlers would do
  // is the other process's business.
  for (int Signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    signal(Signal, SIG_DFL);
  // A crash is no news for the user's terminal or disk.
  rlimit NoCore{0, 0};
  setrlimit(RLIMIT_CORE, &NoCore);
  // Nor may a damaged file keep it busy for ever, or make it take all memory. It begins with what this process is a copy of.
  lower(RLIMIT_CPU, Milliseconds / 1000 + 1);
  if (Memory != 0)
    lower(RLIMIT_AS, addressSpace() + Memory);
  int Nowhere = open("/dev/null", O_WRONLY);
  if (Nowhere >= 0)
    dup2(Nowhere, STDERR_FILENO);

  LastWords = trouble(NoMemory, "");
  LastPipe = Pipe;
  std::set_new_handler(onNoMemory);
  install_bad_alloc_error_handler(onNoMemoryInLLVM);
  install_fatal_error_handler(onFatal, &Pipe);
  // It would verify the module, which `read` does, and end the process over what it finds.
  auto &Options = cl::getRegisteredOptions();
  auto Found = Options.find("disable-auto-upgrade-debug-info");
  if (Found != Options.end())
    Found->second->addOccurrence(0, Found->first, "true");
  answer(Pipe, read(Input, Name));
}

} // namespace

// Reads a module and returns the answer, which `lariat_front_free` releases; null if the system is out of something. The process
// that reads has so many milliseconds and, unless that is 0, may take so many bytes.
//
// LLVM trusts the inside of bitcode, and damaged files make it crash. So it reads in a process of its own, a copy of
// this one. Such a copy has only one thread, so it must not need a lock that another thread may hold: LLVM's own locks
// are free, because only such copies use it, and the C library takes care of its memory allocator.
extern "C" uint8_t *lariat_front_read(const uint8_t *Input, size_t Length, const uint8_t *Name, size_t NameLength,
                                      uint64_t Milliseconds, uint64_t Memory, size_t *AnswerLength) {
  int Pipe[2];
  if (!makePipe(Pipe))
    return nullptr;
  // No clock counts further.
  Milliseconds = std::min<uint64_t>(Milliseconds, 1 << 30);
  Clock::time_point Deadline = Clock::now() + std::chrono::milliseconds(Milliseconds);
  pid_t Parent = getpid();
  pid_t Child = fork();
  if (Child == 0)
    work(Pipe[1], Parent, Milliseconds, Memory, StringRef(reinterpret_cast<const char *>(Input), Length),
         StringRef(reinterpret_cast<const char *>(Name), NameLength));
  close(Pipe[1]);
  uint64_t Size = 0;
  uint8_t *Answer = nullptr;
  if (Child > 0 && receiveAll(Pipe[0], &Size, sizeof Size, Deadline)) {
    Answer = static_cast<uint8_t *>(malloc(Size));
    if (Answer && !receiveAll(Pipe[0], Answer, Size, Deadline)) {
      free(Answer);
      Answer = nullptr;
      Size = 0;
    }
  }
  bool IsLate = Child > 0 && !Answer && Clock::now() >= Deadline;
  close(Pipe[0]);
  if (Child < 0)
    return nullptr;
  // Whatever it still does, nobody listens.
  if (!Answer)
    kill(Child, SIGKILL);
  int Status = 0;
  pid_t Ended;
  do
    Ended = waitpid(Child, &Status, 0);
  while (Ended < 0 && errno == EINTR);
  if (!Answer && Size == 0) {
    std::string Words = Ended == Child && WIFSIGNALED(Status) ? strsignal(WTERMSIG(Status)) : "no answer";
    std::string Crash = trouble(IsLate ? Late : Crashed, Words);
    Size = Crash.size();
    Answer = static_cast<uint8_t *>(malloc(Size));
    if (Answer)
      memcpy(Answer, Crash.data(), Size);
  }
  *AnswerLength = Size;
  return Answer;
}

extern "C" void lariat_front_free(uint8_t *Answer) { free(Answer); }
