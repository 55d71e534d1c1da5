#if PostgreSQL

/// A statement for the server: its text, and the name under which connections prepare it.
package struct ServerStatement: Sendable {
    package let text: String
    /// The same in every process, so that poolers may share prepared statements; empty for one that is not prepared.
    package let name: String
    /// The effect of the statement on transactions.
    let command: Command

    enum Command { case begin, commit, other }

    package init(_ text: String, isPrepared: Bool = true) {
        self.text = text
        command = text.hasPrefix("BEGIN") ? .begin : text.hasPrefix("COMMIT") ? .commit : .other
        guard isPrepared else {
            name = ""
            return
        }
        // Two hashes of 64 bits: equal names of different statements would be fatal.
        var (first, second): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x9E37_79B9_7F4A_7C15)
        for byte in text.utf8 {
            first = (first ^ UInt64(byte)) &* 0x100_0000_01B3
            second = (second &+ UInt64(byte)) &* 0xD6E8_FEB8_6659_FD93
            second ^= second >> 32
        }
        name = "cd_" + String(first, radix: 36) + "_" + String(second, radix: 36)
    }
}

/// A statement with its parameters, as one element of a pipeline.
package struct PipelineRequest {
    package let statement: ServerStatement
    package var parameters: ParameterList
    /// Receives the result.
    package var receive: ((ServerRows) throws -> Void)?
    package init(
        _ statement: ServerStatement, _ parameters: ParameterList = ParameterList(),
        receive: ((ServerRows) throws -> Void)? = nil
    ) {
        self.statement = statement
        self.parameters = parameters
        self.receive = receive
    }

    /// Creates a statement without parameters and results that is not prepared.
    package static func plain(_ sql: String) -> PipelineRequest {
        PipelineRequest(ServerStatement(sql, isPrepared: false))
    }
}
#endif
