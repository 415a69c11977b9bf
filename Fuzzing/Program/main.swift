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

var argumentCount = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let code = LLVMFuzzerRunDriver(&argumentCount, &arguments) { bytes, count in
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
