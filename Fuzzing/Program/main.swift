import CLibFuzzer
import FerrySystem
import Glibc

/// The target that the environment names.
///
/// Not the arguments: with those libFuzzer starts its own program again.
let target = FuzzTarget.all.first { $0.name == ProcessEnvironment["FUZZ_TARGET"] }
guard target != nil else {
    print("FUZZ_TARGET has to be one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    exit(2)
}

var arguments = CommandLine.arguments
// What stands behind it counts for more.
arguments.insert("-max_len=\(target?.byteCount ?? 0)", at: 1)
var argumentCount = Int32(arguments.count)
// libFuzzer keeps the pointers for as long as it runs.
let pointers = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>
    .allocate(capacity: arguments.count + 1)
_ = pointers.initialize(from: arguments.map { strdup($0) } + [nil])
var start = pointers.baseAddress
let code = LLVMFuzzerRunDriver(&argumentCount, &start) { bytes, count in
    do throws(Finding) {
        try target?.run(FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: count))))
    } catch {
        // libFuzzer keeps an input that a process has died of.
        print("Finding: \(error)")
        fflush(nil)
        abort()
    }
    return 0
}
exit(code)
