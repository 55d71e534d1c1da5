#if !canImport(Darwin)
import ModelFormat
// snippet
import PredicateFormat
// end

struct Person {
    var age: Int
}

enum FormatSnippets {
    static func predicates() -> [Any] {
        // snippet
        let adults = NSPredicate(format: "age >= %d AND name CONTAINS[cd] %@", 18, "ann")
        let people: [[String: Any]] = [["name": "Anna", "age": 20], ["name": "Bob", "age": 12]]
        let found = NSArray(array: people).filtered(using: adults)  // Anna
        let isAdult = adults.evaluate(with: people[0])  // true
        let total = NSExpression(format: "items.@sum.price * 1.2")
        let order = NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare)
        let typed = NSPredicate(#Predicate<Person> { $0.age >= 18 })!
        // end
        return [found, isAdult, total, order, typed]
    }

    static func compile() throws {
        // snippet
        let bundle = try ModelBundle(contentsOf: URL(filePath: "AddressBook.xcdatamodeld"))
        for version in bundle.versions {
            print(version.name, Model.versionChecksum(try version.model.versionHashes()))
        }
        try bundle.writeCompiled(to: URL(filePath: "AddressBook.momd"))
        // end
    }
}

// snippet
final class Reading: KeyValueCoding {
    let sensor: String
    let value: Double

    init(sensor: String, value: Double) {
        self.sensor = sensor
        self.value = value
    }

    func value(forKey key: String) -> Any? {
        switch key {
        case "sensor": sensor
        case "value": value
        default: nil
        }
    }

    func predicateValue(forKey key: PredicateKey) -> PredicateValue {
        key.name == "value" ? .number(.double(value)) : PredicateValue(value(forKey: key.name))
    }
}
// end

// snippet
class Adults: NSComparisonPredicate {
    convenience init(from age: Int) {
        self.init(
            leftExpression: NSExpression(forKeyPath: "age"), rightExpression: NSExpression(forConstantValue: age),
            modifier: .direct, type: .greaterThanOrEqualTo)
    }
}
// end
#endif
