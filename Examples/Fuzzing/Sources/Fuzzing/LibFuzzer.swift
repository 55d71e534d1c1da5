import Foundation

/// Called once by libFuzzer, which provides the `main` of this program. If `FUZZ_SEEDS` names a folder, writes the seeds and
/// exits.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else {
        // Run the seeds once, so that the first input is not charged with the target's one-time initialization.
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

/// Called by libFuzzer with every input. Thrown errors are ignored: they are the expected result of damaged input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    try? chosen.read(Data(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

private let chosen = Target.named(ProcessInfo.processInfo.environment["FUZZ_TARGET"])
