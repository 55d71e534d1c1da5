import PredicateFormat

// Usage: PredicateFuzz [inputs] [seed]
//
// Runs the generator of the tests (`FuzzTests`); `FormatFuzzer.swift` is a symbolic link to the tests' file. Prints the input
// that failed and exits with status 1.
let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) ?? 0 }
let count = Int(arguments.first ?? 10_000_000)
var fuzzer = FormatFuzzer(seed: arguments.dropFirst().first ?? 1)
let start = Date()
var done = 0
while done < count {
    let step = min(1_000_000, count - done)
    if let failure = fuzzer.run(step) {
        print("Input \(fuzzer.inputs) fails:\n\(failure)")
        exit(1)
    }
    done += step
    let seconds = Date().timeIntervalSince(start)
    print("\(done) inputs, \(fuzzer.parsed) of them parsed, \(Int(seconds)) s")
}
