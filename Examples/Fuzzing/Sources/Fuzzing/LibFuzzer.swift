import Foundation

/// What libFuzzer, whose `main` this program has, calls once.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else {
        // Input must not pay for what the target sets up.
        for seed in try! chosen.seeds() { try? chosen.read(seed) }
        return 0
    }
    do {
        try Target.writeSeeds(to: URL(fileURLWithPath: folder))
        exit(0)
    } catch {
        print("The seeds cannot be written: \(error)")
        exit(1)
    }
}

/// What libFuzzer calls with every input. Errors are what damaged input should lead to.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    try? chosen.read(Data(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

private let chosen = Target.named(ProcessInfo.processInfo.environment["FUZZ_TARGET"])
