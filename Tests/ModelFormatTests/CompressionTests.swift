import Foundation
import ModelFormat
import Testing

@Suite("Raw DEFLATE")
struct CompressionTests {
    @Test("gives back what went in", arguments: [0, 1, 2, 3, 1000, 70_000])
    func roundTrip(_ count: Int) throws {
        var state: UInt32 = 7
        let noise = Data(
            (0..<count).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: state >> 24)
            })
        let pattern = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 3 % 7) })
        for data in [noise, pattern] { #expect(try RawDeflate.expand(RawDeflate.compress(data)) == data) }
    }

    @Test("finds repetitions")
    func shrinks() {
        let text = Data(String(repeating: "NSAttributeDescription", count: 100).utf8)
        #expect(RawDeflate.compress(text).count < 60)
    }

    /// Made by zlib with its default settings: dynamic codes, which our compressor does not write.
    @Test("expands dynamic codes")
    func dynamic() throws {
        let text = (0..<200).map { "line \($0 * 7919 % 1000)\n" }.joined()
        let compressed = try #require(Data(base64Encoded: Self.dynamicBlock))
        #expect(String(decoding: try RawDeflate.expand(compressed), as: UTF8.self) == text)
    }

    @Test("expands stored blocks, refuses damaged ones")
    func stored() throws {
        #expect(try RawDeflate.expand(Data([1, 3, 0, 0xFC, 0xFF, 65, 66, 67])) == Data("ABC".utf8))
        for bytes: [UInt8] in [[], [1], [1, 3, 0, 0xFC, 0xFE, 65, 66, 67], [1, 9, 0, 0xF6, 0xFF, 65], [7], [6, 0]] {
            #expect(throws: ModelFormatError.self) { try RawDeflate.expand(Data(bytes)) }
        }
    }

    @Test("stops at the limit")
    func limit() {
        let bomb = RawDeflate.compress(Data(count: 1_000_000))
        #expect(bomb.count < 10_000)
        let error = #expect(throws: ModelFormatError.self) { try RawDeflate.expand(bomb, limit: 1000) }
        #expect(error?.code == .limitExceeded)
    }

    private static let dynamicBlock = """
        PdU7TmRBEERRn1WwhMp/5YIwkNDs3xzQi/usTmEEpQid7p/vf1+f5+Pn72Ntn+PGfY6peY6efo7a0mH5HBnxHFH+HD72HLZKtqNk\
        V/Cmgm8reK6C5yi4XcGVCs5WcFwF+xJsSrZQcil4R8F3FXxNwRMK7lJwjYLzKjiPgsMV7Klka5IVrNh15++KnT70uPR46XHosemx\
        6DHpUclmSg4Fbx16XHpku8N2znZZ9MiDL9sdtnO2y8NL6fHSI9sZ20XRY9KjgnPZztgu2C6XHknmxfT49pv0qNi+LHdYzlkulh4v\
        PQ49spwpOZIegycoeJbtjO2c7fLS49Aj2x22c7ZLnqzgvWx32A53g7vGXeEucZe4C9w57mzeZH3SI/2iblDXqGvUFeoSdYE6R52h\
        zlAHukXdRd2gblDXqCvUJeoCdYE6R52hDnSLuj1sh7vBXeOucJe4S9wF7hx3hruXHdPB7sJuYNewa9gV7BJ2ATuHncPOYIe6hd2F\
        3cBuYNewK9gl7GLfLwrGg53l+2SKZLzDeMAb4DXwCngFvAReAM+BZ8B73bEd7i7uBneNu8Zd4S5xF7hz3DnuzN+fJf41X8a/7v4D
        """
}
