import PredicateFormat
import Testing

/// A short run. The long one is a command: `swift run -c release --package-path Examples/PredicateFuzz PredicateFuzz`
/// (ten million inputs; other numbers and seeds as arguments).
@Suite struct FuzzTests {
    @Test func randomFormats() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["PREDICATE_FUZZ_INPUTS"].flatMap(Int.init) ?? 4_000
        let seed = environment["PREDICATE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1
        var fuzzer = FormatFuzzer(seed: seed)
        let failure = fuzzer.run(count)
        #expect(failure == nil, "input \(fuzzer.inputs): \(failure ?? "")")
        #expect(fuzzer.parsed > count / 3)
    }
}
