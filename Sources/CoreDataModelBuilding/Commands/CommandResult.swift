/// The result of running a command.
public struct CommandResult: Sendable, Hashable {
    /// The process's exit status: 0 done, 1 the answer is no (differences, findings), 2 the command line is wrong,
    /// 3 something failed.
    public package(set) var status: Int32 = 0
    /// The text for the standard output.
    public package(set) var output = ""
    /// Errors and warnings, in the form compilers print.
    public package(set) var errors = ""
    /// The files and folders written.
    package var written: [String] = []
    /// The errors and warnings of `errors`, as values.
    package var diagnostics: [Diagnostic] = []

    package init() {}

    /// Prints an error or warning; an error makes the run a failure.
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
