import MagicalRecord

// Conditions written as they would be about Swift's own texts and collections: the messages say what to write.

private final class Notebook: NSManagedObject {
    @NSManaged var notes: NSOrderedSet
    @NSManaged var readers: NSSet?
}

private enum Text {
    static func beginnings() throws {
        // error: 'hasPrefix' has been renamed to 'beginsWith(_:_:)'
        _ = try User.findAll(where: { $0.displayName.hasPrefix("A") })
        // error: 'starts(with:)' has been renamed to 'beginsWith(_:_:)'
        _ = try User.findAll(where: { $0.displayName.starts(with: "A") && $0.isFriend })
        // error: 'hasPrefix' has been renamed to 'beginsWith(_:_:)'
        _ = try User.findAll(where: { $0.messages.any { $0.text.hasPrefix("A") } })
    }

    static func ends() throws {
        // error: 'hasSuffix' has been renamed to 'endsWith(_:_:)'
        _ = try User.findAll(where: { $0.isFriend || $0.team.name.hasSuffix("A") && $0.balance > 3 })
    }

    static func cases() throws {
        // error: 'lowercased' is unavailable: write lowercased, without parentheses
        _ = try User.findAll(where: { $0.displayName.lowercased() == "ann" })
        // error: 'uppercased' is unavailable: write uppercased, without parentheses
        _ = try User.findAll(where: { $0.displayName.uppercased().contains("ANN") })
        // error: is unavailable: write contains(text, .caseInsensitive)
        _ = try User.findAll(where: { $0.displayName.localizedCaseInsensitiveContains("ann") })
        // error: is unavailable: write contains(text, .insensitive)
        _ = try User.findAll(where: { $0.displayName.localizedStandardContains("ann") })
    }

    static func lengths() throws {
        // error: 'count' has been renamed to 'length'
        _ = try User.findAll(where: { $0.displayName.count > 3 })
    }

    static func patterns() throws {
        // error: '~=' is unavailable: write like(pattern), or matches(expression) for a regular expression
        _ = try User.findAll(where: { $0.displayName ~= "A.*" })
    }
}

private enum Lists {
    static func ofValues(_ ids: [Int64], _ names: Set<String>) throws {
        // error: 'contains' is unavailable: in a condition write $0.name.in(values)
        _ = try User.findAll(where: { [1, 2].contains($0.userID) })
        // error: 'contains' is unavailable: in a condition write $0.name.in(values)
        _ = try User.findAll(where: { ids.contains($0.userID) && $0.isFriend })
        // error: 'contains' is unavailable: in a condition write $0.name.in(values)
        _ = try User.findAll(where: { names.contains($0.displayName) })
        // error: 'contains' is unavailable: in a condition write $0.length.between(range)
        _ = try User.findAll(where: { (1...9).contains($0.userID) })
    }

    static func ofAnotherType(_ codes: [Int]) throws {
        // error: 'in' is unavailable: the values have another type than the property: convert them, values.map { … }
        _ = try User.findAll(where: { $0.countryCode.in(codes) && $0.isFriend })
    }
}

private enum RelatedObjects {
    static func theirProperties() throws {
        // error: is unavailable: several objects are related; write any { $0.length > 3 }, all or none
        _ = try User.findAll(where: { $0.messages.text == "Hello" })
        // error: is unavailable: several objects are related; write any { $0.length > 3 }, all or none
        _ = try User.findAll(where: { $0.isFriend && $0.team.members.balance > 3 })
    }

    static func asOfCollections() throws {
        // error: 'contains(where:)' has been renamed to 'any(_:)'
        _ = try User.findAll(where: { $0.messages.contains { $0.length > 3 } })
        // error: 'contains(where:)' has been renamed to 'any(_:)'
        _ = try User.findAll(where: { $0.messages.contains(where: { $0.length > 3 }) })
        // error: 'allSatisfy' has been renamed to 'all(_:)'
        _ = try User.findAll(where: { $0.messages.allSatisfy { $0.length > 3 } })
        // error: 'filter' is unavailable: write any { … }, or count(where: { … })
        _ = try User.findAll(where: { $0.messages.filter { $0.length > 3 }.count > 3 })
    }

    static func withoutTheirClass() throws {
        // error: value of type 'MagicalRecord._ClassUnknownWithoutOf' has no member 'text'
        _ = try Notebook.findAll(where: { $0.notes.any { $0.text == "Hello" } })
        // error: value of type 'MagicalRecord._ClassUnknownWithoutOf' has no member 'isFriend'
        _ = try Notebook.findAll(where: { $0.readers.all { $0.isFriend } })
        // error: 'none' is unavailable: write of(Message.self).none { … }, with the class of the related objects
        _ = try Notebook.findAll(where: { $0.readers.none { _ in true } })
    }
}

private enum MissingValues {
    static func ofNumbers() throws {
        // error: '==' is unavailable: a property that is not optional is never nil; write .format("name == nil")
        _ = try User.findAll(where: { $0.balance == nil })
        // error: '!=' is unavailable: a property that is not optional is never nil; write .format("name != nil")
        _ = try User.findAll(where: { $0.isFriend && $0.balance != nil })
    }

    static func ofSets() throws {
        // error: '==' is unavailable: a to-many relationship is never nil; write $0.messages.isEmpty
        _ = try User.findAll(where: { $0.messages == nil })
        // error: '!=' is unavailable: a to-many relationship is never nil; write !$0.messages.isEmpty
        _ = try Notebook.findAll(where: { $0.notes != nil })
    }
}

private enum OtherThanConditions {
    static func joined() throws {
        // error: operator function '&&' requires that 'String' conform to 'MagicalRecord._TruthValue'
        _ = try User.findAll(where: { $0.displayName && $0.isFriend })
    }

    static func chained() throws {
        // error: cannot use optional chaining on non-optional value of type 'MagicalRecord.Column<User, Team?>'
        // error: cannot convert value of type 'MagicalRecord.Column<User, Int64?>?' to expected argument type
        _ = try User.findAll(where: { $0.team?.teamID > 3 })
    }

    static func dates() throws {
        // error: binary operator '>' cannot be applied to operands of type 'MagicalRecord.Column<User, Date?>' and 'Int'
        _ = try User.findAll(where: { $0.lastUpdate > 3 })
    }
}
