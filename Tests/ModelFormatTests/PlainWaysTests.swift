import Foundation
import Testing

@testable import ModelFormat

/// Short ways to what Foundation and the standard library do as well, which must come to the same.
@Suite("Short ways")
struct PlainWaysTests {
    @Test func namesSortByCodeUnits() {
        let names = [
            "", "a", "A", "ab", "aé", "aß", "é", "中", "中文", "\u{D7FF}", "\u{E000}", "\u{F8FF}", "\u{FFFD}",
            "\u{FFFF}", "\u{10000}", "😀", "😀a", "a😀", "a\u{FFFD}", "a\u{EFFF}", "z\u{10FFFF}", "z\u{EE00}",
        ]
        for left in names {
            for right in names {
                let expected = left.utf16.lexicographicallyPrecedes(right.utf16)
                #expect(literallyPrecedes(left, right) == expected, "\(left) \(right)")
            }
        }
    }

    @Test func pathsAreThoseOfTheURL() throws {
        var urls = [
            "/", "/a", "/a/", "/a//", "//a", "/a b/c.sqlite", "/ü/ñ", "/100%/x", "/a?b", "/a#b", "/a;b", "/dev/null",
            "/a/../b", "/a/./b/", "relative/file", ".", "/tmp/Model.momd",
        ].flatMap { path in
            [
                URL(fileURLWithPath: path), URL(fileURLWithPath: path, isDirectory: true),
                URL(fileURLWithPath: "inner", relativeTo: URL(fileURLWithPath: path, isDirectory: true)),
            ]
        }
        for text in ["file:///a%20b", "file://localhost/a", "file:///", "file:////", "file:///a/", "http://host/a"] {
            urls.append(try #require(URL(string: text)))
        }
        for url in urls { #expect(FileAccess.path(of: url) == url.path, "\(url)") }
    }

    @Test func hashesOfMessagesOfEveryLength() {
        // As `sha256sum` gives them, for messages that end before, at and behind the end of a block.
        func hash(_ count: Int) -> String {
            SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: count)).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
        #expect(hash(0) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(hash(55) == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318")
        #expect(hash(56) == "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a")
        #expect(hash(63) == "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34")
        #expect(hash(64) == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb")
        #expect(hash(119) == "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb")
        #expect(hash(120) == "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c")
        #expect(hash(128) == "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e")
    }
}
