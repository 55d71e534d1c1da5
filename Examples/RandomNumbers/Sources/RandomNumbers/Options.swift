import Foundation

/// The command-line options.
struct Options {
    var count = 5
    var pause = 1.0
    var isBlocking = false
    var wantsHelp = false

    static let help = """
        usage: RandomNumbers [--count N] [--pause SECONDS] [--blocking]

        Makes random numbers, slowly, while a sorted list shows them and the interface goes on answering. Ends after N
        numbers (5 unless you say otherwise).

          --pause SECONDS  how long each number takes; 1 unless you say otherwise
          --blocking       make them on the main queue instead of in the background, to see the interface freeze
        """

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--count": count = try Self.number(of: argument, from: &rest, Int.init, above: 0)
            case "--pause": pause = try Self.number(of: argument, from: &rest, Double.init, above: -1)
            case "--blocking": isBlocking = true
            case "--help", "-h": wantsHelp = true
            default: throw Failure(description: "There is no option \(argument).\n\(Self.help)")
            }
        }
    }

    private static func number<Number: Comparable>(
        of option: String, from rest: inout ArraySlice<String>, _ parse: (String) -> Number?, above limit: Number
    ) throws -> Number {
        guard let text = rest.popFirst(), let number = parse(text), number > limit else {
            throw Failure(description: "\(option) needs a number above \(limit).\n\(help)")
        }
        return number
    }
}

/// An error reported to the user.
struct Failure: Error, CustomStringConvertible {
    var description: String
}
