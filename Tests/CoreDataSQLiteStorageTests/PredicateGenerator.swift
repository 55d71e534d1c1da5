import CoreData
import CoreDataTestSupport
import Foundation

/// Makes random predicates on people for which SQL and evaluation in memory must agree.
///
/// They differ, by design, where something missing is compared under NOT or with `!=` (SQL's third truth value): there only
/// what is always present is compared. ``SameAnswerTests`` tests those differences by name.
struct PredicateGenerator {
    typealias Kind = SameAnswerModel.Kind

    var random: RandomSource
    /// Objects that may be compared with.
    let people: [NSManagedObject]
    let places: [NSManagedObject]

    mutating func predicate(depth: Int, isNegated: Bool = false) -> NSPredicate {
        guard depth > 0 else { return leaf(isNegated) }
        switch random.below(7) {
        case 0:
            return NSCompoundPredicate(andPredicateWithSubpredicates: [
                predicate(depth: depth - 1, isNegated: isNegated), predicate(depth: depth - 1, isNegated: isNegated),
            ])
        case 1:
            return NSCompoundPredicate(orPredicateWithSubpredicates: [
                predicate(depth: depth - 1, isNegated: isNegated), predicate(depth: depth - 1, isNegated: isNegated),
            ])
        case 2:
            return NSCompoundPredicate(
                notPredicateWithSubpredicate: predicate(depth: depth - 1, isNegated: true))
        default: return leaf(isNegated)
        }
    }

    private mutating func leaf(_ isNegated: Bool) -> NSPredicate {
        switch random.below(isNegated ? 7 : 12) {
        case 0: return onMissing()
        case 1: return onRelationship()
        case 2: return onCount(isNegated)
        case 3: return quantified()
        case 4: return subquery()
        case 5: return matching(isNegated)
        case 6: return comparison(SameAnswerModel.required, "", mayDiffer: true)
        case 7: return computed()
        case 8: return comparison(["city": .string, "height": .number, "serial": .number], "home.", mayDiffer: false)
        case 9: return comparison(SameAnswerModel.optional, random.pick(["boss.", "boss.boss."]), mayDiffer: false)
        default: return comparison(SameAnswerModel.optional, "", mayDiffer: false)
        }
    }

    // MARK: Comparisons

    private mutating func comparison(_ keys: [String: Kind], _ path: String, mayDiffer: Bool) -> NSPredicate {
        let (name, kind) = random.pick(keys.sorted { $0.key < $1.key })
        let key = path + name
        func value() -> Any { SameAnswerModel.value(kind, name, &random) }
        switch kind {
        case .uuid, .data, .url, .flag:
            return random.below(3) == 0 && kind != .data
                ? NSPredicate(format: "%K IN %@", argumentArray: [key, [value(), value()]])
                : NSPredicate(format: "%K == %@", argumentArray: [key, value()])
        case .number, .date, .string:
            let options = kind == .string ? random.pick(["", "", "[c]", "[d]", "[cd]", "[n]"]) : ""
            switch random.below(8) {
            case 0: return NSPredicate(format: "%K BETWEEN %@", argumentArray: [key, [value(), value()]])
            case 1:
                let list = (0..<random.below(4)).map { _ in value() }
                return NSPredicate(format: "%K IN\(options) %@", argumentArray: [key, list])
            case 2 where mayDiffer: return NSPredicate(format: "%K !=\(options) %@", argumentArray: [key, value()])
            default:
                let comparison = random.pick(["==", "<", "<=", ">", ">=", "=="])
                return random.below(4) == 0
                    ? NSPredicate(
                        format: "%@ \(comparison)\(options) %K", argumentArray: [value(), key])
                    : NSPredicate(format: "%K \(comparison)\(options) %@", argumentArray: [key, value()])
            }
        }
    }

    private mutating func matching(_ isNegated: Bool) -> NSPredicate {
        let key = random.pick(["name", "note", "code"])
        let options = random.pick(["", "[c]", "[d]", "[cd]", "[n]"])
        let text = random.pick(SameAnswerModel.strings)
        let part = String(text.prefix(random.below(4)))
        switch random.below(5) {
        case 0:
            // Without options this is a range in SQL.
            return NSPredicate(format: "%K BEGINSWITH\(options) %@", argumentArray: [isNegated ? "code" : key, part])
        case 1: return NSPredicate(format: "%K ENDSWITH\(options) %@", argumentArray: [key, String(text.suffix(2))])
        case 2: return NSPredicate(format: "%K CONTAINS\(options) %@", argumentArray: [key, part])
        case 3:
            let pattern = random.pick(["*", "?", "*n*", "A*", "\(part)*", "??", "*é*", "*\\**", "?NN?"])
            return NSPredicate(format: "%K LIKE\(options) %@", argumentArray: [key, pattern])
        default:
            let options = options == "[n]" ? "" : options
            let pattern = random.pick([".*n.*", "[0-9]+", "an+a", "\\w+", "[A-Zé]+", "A?"])
            return NSPredicate(format: "%K MATCHES\(options) %@", argumentArray: [key, pattern])
        }
    }

    private mutating func onMissing() -> NSPredicate {
        let names =
            SameAnswerModel.optional.keys.sorted() + ["home", "boss", "home.city", "boss.name", "boss.home.height"]
        return NSPredicate(format: "%K \(random.pick(["==", "!="])) nil", random.pick(names))
    }

    /// Comparisons of values made by functions and arithmetic; integers where the kinds would matter.
    private mutating func computed() -> NSPredicate {
        let number = random.below(9)
        let comparison = random.pick(["==", "<", ">="])
        let formats = [
            "serial + count \(comparison) %d", "ratio * 2 \(comparison) %d", "count - small \(comparison) %d",
            "count / 2 \(comparison) %d", "price / 2 \(comparison) %d", "abs:(count) \(comparison) %d",
            "modulus:by:(serial, 3) \(comparison) %d", "serial & 5 \(comparison) %d", "(serial | 2) \(comparison) %d",
            "serial ^ 3 \(comparison) %d", "length:(name) \(comparison) %d", "name.length \(comparison) %d",
            "floor:(ratio) \(comparison) %d", "ceiling:(ratio) \(comparison) %d", "trunc:(ratio) \(comparison) %d",
            "sqrt:(girth) \(comparison) %d", "count ** 2 \(comparison) %d", "girth / 2 \(comparison) %d",
            "TERNARY(count > 2, serial, small) \(comparison) %d", "-count \(comparison) %d",
            "serial << 1 \(comparison) %d", "serial >> 1 \(comparison) %d", "count < small + %d",
            "uppercase:(name) == uppercase:(code) OR serial == %d", "lowercase:(code) BEGINSWITH 'a' OR serial == %d",
            "canonical:(name) == 'anna' OR serial == %d", "name == code OR serial == %d", "born < seen OR serial == %d",
            "boss.count >= count + %d", "name CONTAINS[c] code OR serial == %d",
        ]
        return NSPredicate(format: random.pick(formats), number)
    }

    // MARK: Relationships

    private mutating func onRelationship() -> NSPredicate {
        let (person, place) = (random.pick(people), random.pick(places))
        switch random.below(8) {
        case 0: return NSPredicate(format: "SELF == %@", person)
        case 1: return NSPredicate(format: "SELF IN %@", argumentArray: [[person, random.pick(people)]])
        case 2: return NSPredicate(format: "ANY friends == %@", person)
        case 3: return NSPredicate(format: "friends CONTAINS %@", person)
        case 4: return NSPredicate(format: "%@ IN friendOf", person)
        case 5: return NSPredicate(format: "ANY visits IN %@", argumentArray: [[place]])
        case 6: return NSPredicate(format: "NONE reports == %@", person)
        default: return NSPredicate(format: "ANY visits == %@", place.objectID)
        }
    }

    private mutating func onCount(_ isNegated: Bool) -> NSPredicate {
        let comparison = random.pick(["==", ">", "<=", "!="])
        let path = random.pick(["friends", "reports", "friendOf", "visits"])
        switch random.below(5) {
        case 0: return NSPredicate(format: "\(path).@count \(comparison) %d", random.below(4))
        case 1: return NSPredicate(format: "\(path).@sum.serial \(comparison) %d", random.below(60))
        case 2 where !isNegated:
            let path = random.pick(["friends", "reports"])
            return NSPredicate(format: "\(path).@max.girth > %d AND \(path).@min.girth < %d", random.below(4), 2)
        case 3: return NSPredicate(format: "\(path).@avg.serial >= %d", random.below(30))
        default: return NSPredicate(format: "\(path).@sum.serial + serial > %d", random.below(60))
        }
    }

    private mutating func quantified() -> NSPredicate {
        let path = random.pick(["friends.", "reports.", "friendOf.", "boss.friends."])
        let quantifier = random.pick(["ANY", "SOME", "NONE", "ALL"])
        let number = random.below(9)
        switch random.below(5) {
        case 0: return NSPredicate(format: "\(quantifier) \(path)count > %d", number)
        case 1: return NSPredicate(format: "\(quantifier) \(path)name BEGINSWITH[cd] %@", random.pick(["a", "U", "é"]))
        case 2:
            return NSPredicate(format: "\(quantifier) \(path)serial IN %@", argumentArray: [[number, number * 3, 7]])
        case 3: return NSPredicate(format: "\(quantifier) \(path)girth BETWEEN {1, %d}", number)
        default:
            return NSPredicate(format: "\(quantifier) \(path)home.city == %@", random.pick(SameAnswerModel.strings))
        }
    }

    private mutating func subquery() -> NSPredicate {
        let path = random.pick(["friends", "reports", "friendOf", "boss.friends", "home.people"])
        let number = random.below(6)
        let inner = random.pick([
            "$x.serial > %d", "$x.count > %d AND $x.name != nil", "$x.girth < girth AND $x.serial != %d",
            "($x.home == home AND home != nil) OR $x.serial == %d", "$x.name CONTAINS[cd] 'n' OR $x.serial < %d",
            "ANY $x.friends.serial > %d", "SUBQUERY($x.friends, $y, $y.girth > $x.girth).@count > %d",
            "$x.boss.serial > %d", "$x != SELF AND $x.serial > %d",
        ])
        return NSPredicate(
            format: "SUBQUERY(\(path), $x, \(inner)).@count \(random.pick([">", "==", "<"])) %d", number,
            random.below(3))
    }
}
