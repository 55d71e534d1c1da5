/// The result of running a command.
public struct CommandResult: Sendable, Hashable {
    /// The exit status of the process: 0 for success, 1 for a negative result (differences, findings), 2 for an invalid command
    /// line, 3 for a failure.
    public package(set) var status: Int32 = 0
    /// The text for the standard output.
    public package(set) var output = ""
    /// The errors and warnings, in the format of compiler diagnostics.
    public package(set) var errors = ""
    /// The files and folders written.
    package var written: [String] = []
    /// The errors and warnings of `errors`, as values.
    package var diagnostics: [Diagnostic] = []

    package init() {}

    /// Prints an error or warning; an error sets the exit status to 3.
    package mutating func report(_ diagnostic: Diagnostic) {
        errors += diagnostic.description + "\n"
        diagnostics.append(diagnostic)
        if diagnostic.severity == .error { status = 3 }
    }

    /// The files written and the errors and warnings, as JSON.
    var json: JSON {
        .object([
            ("written", .array(written.map { .string($0) })),
            (
                "problems",
                .array(
                    diagnostics.map { problem in
                        .sparse([
                            ("severity", .string(problem.severity.rawValue)), ("file", .optional(problem.file)),
                            ("line", problem.line.map { .number($0) } ?? .null),
                            ("column", problem.column.map { .number($0) } ?? .null),
                            ("entity", .optional(problem.entity)),
                            ("property", .optional(problem.property)), ("message", .string(problem.message)),
                            ("advice", .optional(problem.advice)),
                        ])
                    })
            ),
        ])
    }
}
