import CoreData
import Foundation
import Testing

@Suite("Value transformers")
struct ValueTransformerTests {
    final class Reverser: ValueTransformer, @unchecked Sendable {
        override func transformedValue(_ value: Any?) -> Any? {
            (value as? String).map { String($0.reversed()) }
        }
    }

    @Test("Registered transformers are found by name")
    func registry() throws {
        let name = NSValueTransformerName("Reverser")
        #expect(ValueTransformer.valueTransformer(forName: name) == nil)
        ValueTransformer.setValueTransformer(Reverser(), forName: name)
        let found = try #require(ValueTransformer.valueTransformer(forName: name))
        #expect(found.transformedValue("abc") as? String == "cba")
        #expect(found.reverseTransformedValue("cba") as? String == "abc")
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer.valueTransformer(forName: name) == nil)
    }

    @Test("The secure transformer archives and reads back values of Foundation")
    func secure() throws {
        let transformer = try #require(
            ValueTransformer.valueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        #expect(transformer is NSSecureUnarchiveFromDataTransformer)
        func roundTrip(_ value: Any) -> Any? {
            transformer.transformedValue(transformer.reverseTransformedValue(value))
        }
        #expect(roundTrip(["a", "b"]) as? [String] == ["a", "b"])
        #expect((roundTrip(["k": 1]) as? NSDictionary) == ["k": 1])
        #expect(roundTrip("text") as? String == "text")
        #expect((roundTrip(NSSet(array: [1, 2])) as? NSSet) == NSSet(array: [1, 2]))
        #expect(
            (roundTrip(UUID(uuidString: "6F8BC3A2-44C6-4C8D-A6F1-25C2B53DF0C5")! as Any) as? NSUUID)?.uuidString
                == "6F8BC3A2-44C6-4C8D-A6F1-25C2B53DF0C5")
        #expect(transformer.transformedValue(nil) == nil)
    }

    @Test("Damaged archives and classes that are not allowed give nil, not a crash")
    func refused() throws {
        let transformer = NSSecureUnarchiveFromDataTransformer()
        for bytes in [Data(), Data([1, 2, 3]), Data("bplist00".utf8)] {
            #expect(transformer.transformedValue(bytes) == nil)
        }
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(object: NSAttributedString(string: "x")), requiringSecureCoding: true)
        #expect(transformer.transformedValue(archive) == nil)
        #expect(transformer.reverseTransformedValue(NSObject()) == nil)
    }

    @Test("A subclass may allow more classes")
    func allowing() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: ArchivedPoint(x: 4), requiringSecureCoding: true)
        #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(archive) == nil)
        #expect((Broader().transformedValue(archive) as? ArchivedPoint)?.x == 4)
        #expect(
            (Broader().transformedValue(Broader().reverseTransformedValue(ArchivedPoint(x: 5))) as? ArchivedPoint)?.x
                == 5)
    }

    final class Broader: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
        override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [ArchivedPoint.self] }
    }

    @Test("The truth transformers")
    func truth() {
        func transform(_ name: NSValueTransformerName, _ value: Any?) -> Bool? {
            ValueTransformer.valueTransformer(forName: name)?.transformedValue(value) as? Bool
        }
        #expect(transform(.negateBooleanTransformerName, NSNumber(value: true)) == false)
        #expect(transform(.isNilTransformerName, nil) == true)
        #expect(transform(.isNotNilTransformerName, "x") == true)
    }
}

/// At the top level, because Foundation cannot archive nested classes off Apple.
final class ArchivedPoint: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let x: Int

    init(x: Int) {
        self.x = x
    }

    init?(coder: NSCoder) {
        x = coder.decodeInteger(forKey: "x")
    }

    func encode(with coder: NSCoder) {
        coder.encode(x, forKey: "x")
    }
}
