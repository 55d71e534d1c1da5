#if PostgreSQL
import CoreDataRowStorage
import Foundation
import Testing

@testable import CoreDataPostgreSQLStorage
@testable import CoreDataSQLQueries

/// Answers of servers that do not keep to the protocol, or have other types than the tables of a store.
@Suite("Malformed answers of servers")
struct MalformedAnswerTests {
    // MARK: Messages

    /// Runs a statement over a connection to a server that answers it with some messages.
    private func run(
        _ answer: [ScriptedServer.Message], receive: @escaping (ServerRows) throws -> Void = { _ in }
    ) throws {
        let server = try ScriptedServer([
            [.accepted, .parameter("server_version", "15.0"), .parameter("client_encoding", "UTF8"), .ready], answer,
        ])
        let text = "postgresql://ada@127.0.0.1:\(server.port)/books?sslmode=disable&gssencmode=disable"
        let connection = try PostgreSQLConnection(try ConnectionSettings(try #require(URL(string: text))))
        try withExtendedLifetime(server) {
            let request = PipelineRequest(ServerStatement("SELECT 1", isPrepared: false), receive: receive)
            try connection.run([request], until: Deadline(after: 5))
        }
    }

    /// The messages of a result with one row; nil is NULL.
    private func result(_ values: [[UInt8]?]) -> [ScriptedServer.Message] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        // Name, table, column, type, length, modifier, and the binary format.
        let name = Array("a".utf8) + [0]
        let description: [UInt8] =
            name + bytes(0, 4) + bytes(0, 2) + bytes(20, 4) + bytes(8, 2) + bytes(-1, 4) + bytes(1, 2)
        let fields = Array(repeatElement(description, count: values.count).joined())
        let cells = values.flatMap { value -> [UInt8] in value.map { bytes($0.count, 4) + $0 } ?? bytes(-1, 4) }
        return [
            .init("1", []), .init("2", []), .init("T", bytes(values.count, 2) + fields),
            .init("D", bytes(values.count, 2) + cells), .init("C", Array("SELECT 1".utf8) + [0]), .ready,
        ]
    }

    private func state(_ body: () throws -> Void) -> String? {
        do { try body() } catch let error as PostgreSQLError { return error.state } catch { return "\(error)" }
        return nil
    }

    @Test func `A well-formed result is read`() throws {
        var number: Int64 = 0
        try run(result([[0, 0, 0, 0, 0, 0, 0, 7]])) { number = try $0.int64(0, 0) }
        #expect(number == 7)
    }

    @Test func `NULL and missing columns are no numbers, and read as no text`() throws {
        #expect(state { try run(result([nil])) { _ = try $0.int64(0, 0) } } == "XX001")
        #expect(state { try run(result([[1]])) { _ = try $0.int64(0, 5) } } == "XX001")
        #expect(state { try run(result([[1]])) { _ = try $0.int64(9, 0) } } == "XX001")
        var text: String?
        try run(result([nil])) { text = $0.text(0, 3) + $0.text(0, 0) }
        #expect(text?.isEmpty == true)
    }

    private static let numbers: [[UInt8]] = [
        [0x80, 0, 0, 0, 0, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [1, 2, 3],
    ]

    @Test(arguments: numbers) func `Numbers out of range are errors`(_ bytes: [UInt8]) throws {
        #expect(state { try run(result([bytes])) { _ = try $0.key(0, 0) } } == "XX001")
        #expect(state { try run(result([bytes])) { _ = try $0.index(0, 0, in: 0..<10) } } == "XX001")
    }

    @Test func `A negative count is an error`() throws {
        #expect(state { try run(result([[0xFF, 0xFF]])) { _ = try $0.number(0, 0) } } == "XX001")
    }

    @Test(arguments: ["G", "H", "W"] as [Character])
    func `A server that begins to copy loses its connection`(_ type: Character) throws {
        let began = Date()
        let state = state { try run([.init("1", []), .init("2", []), .init(type, [1, 0, 0]), .ready]) }
        #expect(state == "08006")
        #expect(Date().timeIntervalSince(began) < 5)
    }

    // MARK: Values

    private func decode(_ bytes: [UInt8], _ kind: CellKind, _ type: UInt32) throws -> Any? {
        try bytes.withUnsafeBytes { try ResultValue.decode($0, as: ValueType(kind: kind), from: type) }
    }

    private static let decimals: [[UInt8]] = [
        [], [0, 1, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0, 0, 0, 0, 1], [0xFF, 0xFF, 0, 0, 0, 0, 0, 0],
        // A group of more than four digits, other signs, and a number beyond all decimals.
        [0, 1, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0, 0, 0, 0xD0, 0, 0, 0], [0, 0, 0, 0, 0x12, 0x34, 0, 0],
        [0, 1, 0x7F, 0xFF, 0, 0, 0, 0, 0, 1],
    ]

    @Test(arguments: decimals) func `Decimals that are none are errors`(_ bytes: [UInt8]) {
        #expect(state { _ = try bytes.withUnsafeBytes { try NumericValue.read($0) } } == "XX001")
    }

    @Test(arguments: [Double.infinity, -.infinity, 1e300, -1e127])
    func `Numbers that are no decimals are errors`(_ number: Double) {
        let bytes = withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) }
        #expect(state { _ = try decode(bytes, .decimal, 701) } == "XX001")
    }

    private static let arrays: [[UInt8]] = [
        [], Array(repeating: 0, count: 20), Array(repeating: 0, count: 20) + [0x7F, 0xFF, 0xFF, 0xFF],
        Array(repeating: 0, count: 20) + [0, 0, 0, 9, 1, 2],
    ]

    @Test(arguments: arrays) func `Arrays that end early are errors`(_ bytes: [UInt8]) {
        #expect(state { _ = try decode(bytes, .decimal, 1231) } == "XX001")
    }

    @Test func `Infinite dates, and values of unexpected types are errors`() {
        #expect(state { _ = try decode([0x7F] + Array(repeating: 0xFF, count: 7), .date, 1184) } == "XX001")
        #expect(state { _ = try decode([1, 2, 3], .uuid, 2950) } == "XX001")
        #expect(state { _ = try decode([1], .int64, 600) } == "42804")
    }
}
#endif
