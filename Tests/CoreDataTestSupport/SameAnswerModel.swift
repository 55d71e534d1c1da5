import CoreData
import Foundation

/// The model and the objects of the tests that compare evaluation in memory with SQL: people, some of them workers, with
/// attributes of every type; each lives in a place, has a boss, and friends.
package enum SameAnswerModel {
    /// Attributes that every object has, by the kind of values they take.
    package static let required: [String: Kind] = ["serial": .number, "code": .string, "born": .date, "girth": .number]
    /// Attributes that are often missing.
    package static let optional: [String: Kind] = [
        "small": .number, "count": .number, "large": .number, "ratio": .number, "part": .number, "price": .number,
        "isOpen": .flag, "name": .string, "note": .string, "seen": .date, "token": .uuid, "blob": .data, "link": .url,
    ]

    package enum Kind { case number, flag, string, date, uuid, data, url }

    package static func make() -> NSManagedObjectModel {
        let person = LibraryModel.entity("Person"), worker = LibraryModel.entity("Worker")
        let place = LibraryModel.entity("Place")
        let types: [(String, NSAttributeType)] = [
            ("serial", .integer32AttributeType), ("code", .stringAttributeType), ("born", .dateAttributeType),
            ("girth", .doubleAttributeType), ("small", .integer16AttributeType), ("count", .integer32AttributeType),
            ("large", .integer64AttributeType), ("ratio", .doubleAttributeType), ("part", .floatAttributeType),
            ("price", .decimalAttributeType), ("isOpen", .booleanAttributeType), ("name", .stringAttributeType),
            ("note", .stringAttributeType), ("seen", .dateAttributeType), ("token", .UUIDAttributeType),
            ("blob", .binaryDataAttributeType), ("link", .URIAttributeType),
        ]
        person.properties = types.map { LibraryModel.attribute($0, $1) }
        worker.properties = [
            LibraryModel.attribute("wage", .doubleAttributeType), LibraryModel.attribute("title", .stringAttributeType),
        ]
        place.properties = [
            LibraryModel.attribute("serial", .integer32AttributeType),
            LibraryModel.attribute("city", .stringAttributeType),
            LibraryModel.attribute("height", .doubleAttributeType),
        ]
        LibraryModel.relate(place, "people", many: true, person, "home", many: false)
        LibraryModel.relate(person, "reports", many: true, person, "boss", many: false)
        LibraryModel.relate(person, "friends", many: true, person, "friendOf", many: true)
        LibraryModel.relate(place, "visitors", many: true, person, "visits", many: true, ordered: true)
        person.subentities = [worker]
        let model = NSManagedObjectModel()
        model.entities = [person, worker, place]
        return model
    }

    package static let strings = [
        "Anna", "anna", "ÄNNA", "Ünal", "unal", "e\u{301}", "é", "É", "straße", "STRASSE", "", "a*b", "10", "9", "ab",
        "AB",
        "日本", "a?c", "x\\y", "naïve", "o'hara", "100%",
    ]

    /// Fills the store and gives all people, ordered by serial number.
    package static func fill(_ context: NSManagedObjectContext, _ random: inout RandomSource, people count: Int) throws
    {
        let places = (0..<6).map { number in
            let place = context.insert("Place", ["serial": number])
            if number > 0 { place.setValue(random.pick(strings), forKey: "city") }
            if number > 1 { place.setValue(Double(random.below(8)) / 2, forKey: "height") }
            return place
        }
        let people = (0..<count).map { number in
            let person = context.insert(random.below(3) == 0 ? "Worker" : "Person", ["serial": number])
            for (name, kind) in required.sorted(by: { $0.key < $1.key }) where name != "serial" {
                person.setValue(value(kind, name, &random), forKey: name)
            }
            for (name, kind) in optional.sorted(by: { $0.key < $1.key }) where random.below(3) > 0 {
                person.setValue(value(kind, name, &random), forKey: name)
            }
            if person.entity.name == "Worker", random.below(3) > 0 {
                person.setValue(Double(random.below(9)), forKey: "wage")
                person.setValue(random.pick(strings), forKey: "title")
            }
            return person
        }
        for person in people {
            if random.below(4) > 0 { person.setValue(random.pick(places), forKey: "home") }
            if random.below(3) > 0 { person.setValue(random.pick(people), forKey: "boss") }
            person.setValue(Set((0..<random.below(4)).map { _ in random.pick(people) }), forKey: "friends")
        }
        for place in places {
            let visitors = NSMutableOrderedSet()
            for _ in 0..<random.below(6) { visitors.add(random.pick(people)) }
            place.setValue(visitors, forKey: "visitors")
        }
        try context.save()
    }

    package static func value(_ kind: Kind, _ name: String, _ random: inout RandomSource) -> Any {
        switch kind {
        case .number:
            switch name {
            case "price": return NSDecimalNumber(decimal: Decimal(random.below(20)) / 4)
            case "ratio", "girth": return Double(random.below(20)) / 4
            case "part": return Float(random.below(20)) / 4
            default: return random.below(12) - 3
            }
        case .flag: return random.below(2) == 0
        case .string: return random.pick(strings)
        case .date: return Date(timeIntervalSinceReferenceDate: Double(random.below(12)) * 1000.5)
        case .uuid: return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(random.below(6))))
        case .data: return Data([UInt8(random.below(4)), 1])
        case .url: return URL(string: "https://example.org/\(random.below(4))")!
        }
    }
}

/// Random choices that are the same in every run.
package struct RandomSource {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    package mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    package mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}
