import Foundation
import MagicalRecordTestSupport
import Testing

@testable import ModelFormat

/// Archives of values: what is written can be read by Foundation and here, and no damage to one ends the process.
///
/// The short form runs with the suite. `ARCHIVE_FUZZ_ROUNDS=1000000 swift test --filter ObjectArchiveTests` is the long one.
@Suite("Archives of values")
struct ObjectArchiveTests {
    /// One value of each class, alone and in the others.
    private static func samples() -> [NSObject] {
        let plain: [NSObject] = [
            NSString(string: "text"), NSMutableString(string: "Zoë 🐚"), NSNumber(value: 42),
            NSNumber(value: -1), NSNumber(value: true), NSNumber(value: 2.5), NSNumber(value: Double.infinity),
            NSNumber(value: Int64.min), NSDate(timeIntervalSinceReferenceDate: -0.25), NSData(data: Data([0, 1, 255])),
            NSMutableData(data: Data(count: 300)), NSUUID(), NSNull(), NSURL(string: "https://a.example/b?c#d")!,
        ]
        // Sets that hold NSNull are not always equal to themselves in Foundation.
        let members = plain.filter { !($0 is NSNull) }
        let collections: [NSObject] = [
            NSArray(array: plain), NSMutableArray(array: plain), NSSet(array: members), NSMutableSet(),
            NSOrderedSet(array: members), NSMutableOrderedSet(array: ["b", "a"]),
            NSDictionary(dictionary: ["a": 1, "b": NSArray(array: plain)]), NSMutableDictionary(),
        ]
        let relative = NSURL(string: "b", relativeTo: URL(string: "https://a.example/"))!
        return plain + [relative] + collections + [
            NSArray(array: collections), NSDictionary(dictionary: [1: collections[0]]),
        ]
    }

    /// As a program without classes of its own.
    private func opened(_ data: Data) throws -> ObjectArchive { try ObjectArchive(data) { $0 == "NSIndexSet" } }

    @Test func whatIsWrittenIsReadHereAndByFoundation() throws {
        for sample in Self.samples() {
            let data = try #require(try ObjectArchiver.data(of: sample), "\(sample)")
            let archive = try opened(data)
            #expect(archive.isKnown)
            let read = try #require(try archive.object() as? NSObject)
            #expect(read == sample)
            #expect(type(of: read) == type(of: sample))
            let foundation = try NSKeyedUnarchiver(forReadingFrom: data)
            foundation.requiresSecureCoding = false
            #expect(foundation.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSObject == sample)
        }
    }

    @Test func whatFoundationWritesIsReadHere() throws {
        for sample in Self.samples() {
            let data = try NSKeyedArchiver.archivedData(withRootObject: sample, requiringSecureCoding: true)
            let foundation = try NSKeyedUnarchiver(forReadingFrom: data)
            foundation.requiresSecureCoding = false
            let expected = try #require(foundation.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? NSObject)
            let read = try #require(try opened(data).object() as? NSObject)
            #expect(read == expected, "\(type(of: sample)) \(sample)")
        }
    }

    /// Foundation's archiver loses it off Apple's platforms.
    @Test func theTextThatStandsForNil() throws {
        let data = try #require(try ObjectArchiver.data(of: ["$null"]))
        #expect(try opened(data).object() as? [String] == ["$null"])
    }

    /// Foundation's own archiver ends the process for them off Apple's platforms.
    @Test(arguments: ["0", "-1.5", "12345678901234567890.123456789", "1e-120", "NaN"])
    func decimals(text: String) throws {
        let number = text == "NaN" ? NSDecimalNumber.notANumber : NSDecimalNumber(string: text)
        let data = try #require(try ObjectArchiver.data(of: NSArray(object: number)))
        let read = try #require(try opened(data).object() as? NSArray)
        #expect(read.count == 1 && "\((read[0] as? NSDecimalNumber)?.decimalValue ?? 7)" == "\(number.decimalValue)")
    }

    @Test func swiftValuesAreWrittenAsFoundations() throws {
        let value: [String: Any] = ["a": [1, 2.5, true], "b": ["c": Data([1])], "d": Set(["e"]), "f": Decimal(3)]
        let data = try #require(try ObjectArchiver.data(of: value))
        let read = try #require(try opened(data).object() as? NSDictionary)
        #expect(read.count == 4 && read["a"] as? NSArray == NSArray(array: [1, 2.5, true]))
        #expect(read["d"] as? NSSet == NSSet(array: ["e"]))
        #expect((read["f"] as? NSDecimalNumber)?.decimalValue == 3)
    }

    @Test func objectsOfOtherClassesAreLeftToFoundation() throws {
        #expect(try ObjectArchiver.data(of: NSArray(object: NSIndexSet(index: 4))) == nil)
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(object: NSIndexSet(index: 4)), requiringSecureCoding: true)
        let archive = try opened(data)
        #expect(!archive.isKnown && archive.foreignClasses.map(\.first) == ["NSIndexSet"])
        #expect(archive.knownNames.isSuperset(of: ["NSArray"]))
    }

    @Test func oneObjectIsMadeForManyReferences() throws {
        var builder = KeyedArchiveBuilder()
        let shared = builder.add(array: [builder.add(string: "a")])
        let root = builder.add(
            class: "NSDictionary", ["NS.keys": .array([builder.add(string: "k")]), "NS.objects": .array([shared])])
        let data = builder.finished(root: root)
        #expect(try opened(data).object() as? NSDictionary == ["k": ["a"]])
    }

    @Test func collectionsOfUnknownClassesAreThoseOfTheirNearestAncestor() throws {
        var list = try PropertyList.read(try #require(try ObjectArchiver.data(of: NSArray(object: "a"))))
        guard case .dictionary(var top) = list, case .array(var objects)? = top["$objects"] else { return }
        for (index, object) in objects.enumerated() where object["$classname"] != nil {
            objects[index] = .dictionary([
                "$classname": .string("_PFArray"),
                "$classes": .array(["_PFArray", "NSArray", "NSObject"].map { .string($0) }),
            ])
        }
        top["$objects"] = .array(objects)
        list = .dictionary(top)
        let data = BinaryPropertyListWriter.write(list)
        #expect(try opened(data).object() as? NSArray == ["a"])
        #expect(try !ObjectArchive(data) { $0 == "_PFArray" }.isKnown)
    }

    // MARK: Limits

    private func nest(_ depth: Int) -> NSArray {
        (1..<depth).reduce(NSArray(object: "a")) { inner, _ in NSArray(object: inner) }
    }

    @Test(.slow, .timeLimit(.minutes(5))) func nestsOfAnyDepth() throws {
        let deepest = ObjectArchive.depthLimit - 1
        let data = try #require(try ObjectArchiver.data(of: nest(deepest)))
        #expect(try opened(data).object() as? NSArray == nest(deepest))
        #expect { try ObjectArchiver.data(of: nest(deepest + 1)) } throws: {
            ($0 as? ModelFormatError)?.code == .limitExceeded
        }
        // 100,000 levels, which only a file has.
        var builder = KeyedArchiveBuilder()
        var node = builder.add(string: "a")
        for _ in 0..<100_000 { node = builder.add(array: [node]) }
        let deep = builder.finished(root: node)
        #expect { try opened(deep) } throws: { ($0 as? ModelFormatError)?.code == .limitExceeded }
    }

    @Test(.timeLimit(.minutes(5))) func membersOfThemselves() throws {
        var builder = KeyedArchiveBuilder()
        let first = builder.reserve(), second = builder.reserve()
        builder.fill(first, class: "NSArray", ["NS.objects": .array([.uid(second)])])
        builder.fill(second, class: "NSSet", ["NS.objects": .array([.uid(first)])])
        let circle = builder.finished(root: .uid(first))
        #expect { try opened(circle) } throws: { "\($0)".contains("circle") }
    }

    /// Forty levels of two references to the same array would be a million million objects to whoever walks them.
    @Test(.timeLimit(.minutes(5))) func repetitionsBeyondReason() throws {
        var builder = KeyedArchiveBuilder()
        var node = builder.add(string: "a")
        for _ in 0..<40 { node = builder.add(array: [node, node]) }
        let data = builder.finished(root: node)
        #expect { try opened(data) } throws: { ($0 as? ModelFormatError)?.code == .limitExceeded }
    }

    /// Off Apple's platforms Foundation stops when it compares, hashes or counts them.
    @Test func setsOfWhatCannotBeHashed() throws {
        let members: [Any] = [["a"], NSDecimalNumber(string: "1.5"), Date(timeIntervalSinceReferenceDate: .nan)]
        for member in members {
            var builder = KeyedArchiveBuilder()
            let node: PropertyListNode =
                switch member {
                case is NSDecimalNumber: builder.add(value: .decimal(1.5))
                case let date as Date: builder.add(value: .date(date.timeIntervalSinceReferenceDate))
                default: builder.add(value: .array([.string("a")]))
                }
            for name in ["NSSet", "NSOrderedSet"] {
                var copy = builder
                let root = copy.add(array: [node], class: name)
                let data = copy.finished(root: root)
                #expect { try opened(data) } throws: { ($0 as? ModelFormatError)?.code == .unsupported }
            }
            let root = builder.add(
                class: "NSDictionary", ["NS.keys": .array([node]), "NS.objects": .array([builder.add(string: "v")])])
            let keys = builder.finished(root: root)
            #expect { try opened(keys) } throws: { ($0 as? ModelFormatError)?.code == .unsupported }
        }
        #expect { try ObjectArchiver.data(of: Set([["a"]])) } throws: {
            ($0 as? ModelFormatError)?.code == .unsupported
        }
    }

    @Test func orderedSetsKeepEqualMembersOnce() throws {
        var builder = KeyedArchiveBuilder()
        let member = builder.add(string: "a"),
            other = builder.add(class: "NSMutableString", ["NS.string": .string("a")])
        let root = builder.add(array: [member, other, member], class: "NSOrderedSet")
        let data = builder.finished(root: root)
        let set = try #require(try opened(data).object() as? NSOrderedSet)
        #expect(set.count == 1 && set.array.count == 1)
    }

    // MARK: Damage

    @Test(.timeLimit(.minutes(10))) func damagedArchives() throws {
        let rounds = ProcessInfo.processInfo.environment["ARCHIVE_FUZZ_ROUNDS"].flatMap(Int.init) ?? 4000
        var random = Generator(state: UInt64(rounds))
        let seeds = try Self.samples().map { try #require(try ObjectArchiver.data(of: $0)) }
        var outcomes: [Bool: Int] = [:]
        for _ in 0..<rounds {
            let seed = try #require(seeds.randomElement(using: &random))
            let data = Bool.random(using: &random) ? damagedBytes(seed, &random) : try damagedObjects(seed, &random)
            let archive = try? opened(data)
            let object = try? archive?.object()
            // What was read can be looked at.
            if let object = object as? NSObject {
                _ = object.isEqual(object)
                _ = try? ObjectArchiver.data(of: object)
            }
            outcomes[object != nil, default: 0] += 1
        }
        #expect((outcomes[true] ?? 0) > rounds / 50 && (outcomes[false] ?? 0) > rounds / 50)
    }

    private func damagedBytes(_ seed: Data, _ random: inout Generator) -> Data {
        var bytes = [UInt8](seed)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where place > 0: bytes.removeSubrange(place...)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            default: bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return Data(bytes)
    }

    /// An archive that is a sound property list, but not of what an archiver writes.
    private func damagedObjects(_ seed: Data, _ random: inout Generator) throws -> Data {
        guard case .dictionary(var list) = try PropertyList.read(seed), case .array(var objects)? = list["$objects"]
        else {
            return seed
        }
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let index = Int.random(in: 0..<objects.count, using: &random)
            guard case .dictionary(var fields) = objects[index],
                let key = fields.keys.sorted().randomElement(using: &random)
            else {
                objects[index] = odd(objects.count, &random)
                continue
            }
            switch (Int.random(in: 0..<6, using: &random), fields[key]) {
            case (0, _): fields[key] = nil
            case (1...3, .array(var items)?) where !items.isEmpty:
                let place = Int.random(in: 0..<items.count, using: &random)
                if Bool.random(using: &random) {
                    items.remove(at: place)
                } else {
                    items[place] = odd(objects.count, &random)
                }
                fields[key] = .array(items)
            case (4, _) where key == "$classname":
                fields[key] = .string(ObjectArchive.knownClasses.keys.sorted().randomElement(using: &random) ?? "")
            default: fields[key] = odd(objects.count, &random)
            }
            objects[index] = .dictionary(fields)
        }
        list["$objects"] = .array(objects)
        if Int.random(in: 0..<20, using: &random) == 0 { list["$top"] = odd(objects.count, &random) }
        return BinaryPropertyListWriter.write(.dictionary(list))
    }

    private func odd(_ count: Int, _ random: inout Generator) -> PropertyListNode {
        let values: [PropertyListNode] = [
            .uid(Int.random(in: 0..<count + 2, using: &random)), .uid(Int.random(in: 0..<count, using: &random)),
            .uid(1_000_000), .string("text"), .string("$null"), .integer(-1), .integer(.max), .real(.nan), .bool(true),
            .data(Data([1])), .date(1e300), .array([]), .array([.uid(1)]), .dictionary([:]),
            .dictionary(["$class": .uid(1)]),
        ]
        return values[Int.random(in: 0..<values.count, using: &random)]
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            return bits ^ (bits >> 31)
        }
    }
}
