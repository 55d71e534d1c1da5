import CoreDataRuntimeSupport
import Foundation
import Testing

/// Looking into `Any` gives what casts give, whether by a shortcut or not.
@Suite("Values in Any")
struct ValueTests {
    private class Base {}
    private final class Below: Base {}
    private struct Large: Equatable {
        var words = (1, 2, 3, 4)
        static func == (one: Large, other: Large) -> Bool { one.words == other.words }
    }

    @Test("A plain value is found as exactly its own type")
    func plainValues() {
        #expect(PlainValue.of(7, as: Int.self) == 7)
        #expect(PlainValue.of("seven and some more text", as: String.self) == "seven and some more text")
        #expect(PlainValue.of(7.5, as: Double.self) == 7.5)
        #expect(PlainValue.of(true, as: Bool.self) == true)
        #expect(PlainValue.of(Large(), as: Large.self) == Large())
        #expect(PlainValue.of(7, as: Double.self) == nil)
        #expect(PlainValue.of(NSNumber(value: 7), as: Int.self) == nil)
        #expect(PlainValue.of(Int?.some(7) as Any, as: Int.self) == nil)
    }

    @Test("An object is found whatever class it was passed as, and nothing else is one")
    func objects() {
        let below = Below()
        #expect(ClassInstance.of(below as Base as Any) === below)
        #expect(ClassInstance.of(below as AnyObject as Any) === below)
        #expect(ClassInstance.of(7) == nil)
        #expect(ClassInstance.of("text") == nil)
        #expect(ClassInstance.number(NSNumber(value: 7)) == 7)
        #expect(ClassInstance.number(7) == 7)
        #expect(ClassInstance.number(below) == nil)
    }

    @Test("References are counted as casts count them")
    func references() {
        weak var gone: Base?
        do {
            let base = Base()
            gone = base
            for _ in 0..<10 { _ = ClassInstance.of(base) }
            _ = ObjectComparison.isSame(base, base)
        }
        #expect(gone == nil)
    }

    @Test("An object is the same as itself alone")
    func comparison() {
        let (one, other) = (NSString(string: "one"), NSString(string: "other"))
        #expect(ObjectComparison.isSame(one as NSObject, one) ?? true)
        #expect(ObjectComparison.isSame(one, one) ?? true)
        #expect(ObjectComparison.isSame(other as NSObject, one) != true)
        #expect(ObjectComparison.isSame(other, one) != true)
        #expect(ObjectComparison.isSame(nil, one) == false)
        #expect(ObjectComparison.isSame(7, one) != true)
        #expect(ObjectComparison.member(nil, as: NSString.self) == nil)
        #expect(ObjectComparison.member(7, as: NSString.self) == nil)
        #expect(ObjectComparison.member(NSNumber(value: 7) as NSObject, as: NSString.self) == nil)
    }

    @Test("Contents are the value, its type, and neither of nothing")
    func contents() {
        let (value, nothing): (Any?, Any?) = ("text", nil)
        withUnsafePointer(to: value) { pointer in
            let contents = ExistentialContents(pointer)
            if let type = contents.type {
                #expect(type is String.Type)
                #expect(contents.load(as: String.self) == "text")
            } else {
                #expect(!ExistentialContents.isSupported)
            }
        }
        withUnsafePointer(to: nothing) { #expect(ExistentialContents($0).type == nil) }
    }

    @Test("Text of any length and letters is what the standard library makes of it", arguments: 0..<40)
    func text(count: Int) {
        for letters in [
            "abcdefghijklmnopqrstuvwxyz0123456789ABCD", "äöüßéèêÀÂÇ€漢字🙂🙂äöüßéèêÀÂÇ€漢", "a\u{0}b\u{7F}é\u{301}",
        ] {
            let bytes = Array(letters.utf8.prefix(count))
            let made = bytes.withUnsafeBytes { InlineString.string($0) }
            let usual = String(decoding: bytes, as: UTF8.self)
            #expect(made == usual)
            #expect(Array(made.utf8) == Array(usual.utf8))
            #expect(made.hashValue == usual.hashValue)
        }
    }
}
