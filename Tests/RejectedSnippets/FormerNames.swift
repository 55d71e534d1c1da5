import MagicalRecord

// Names of version 0.1 that are gone lead to those that took their place.

private enum OfClasses {
    static func aggregates() throws {
        // error: 'sum(_:where:in:)' is unavailable: use where(_:) or all: User.where { … }.sum(of: key)
        _ = try User.sum(\.balance)
        // error: 'sum(_:where:in:)' is unavailable: use where(_:) or all: User.where { … }.sum(of: key)
        _ = try User.sum(\.balance, where: \.isFriend == true)
        // error: 'average(_:where:in:)' is unavailable: use where(_:) or all: User.where { … }.average(of: key)
        _ = try User.average(\.balance, where: { $0.isFriend })
        // error: 'maximum(_:groupedBy:where:in:)' is unavailable: use where(_:) or all
        _ = try User.maximum(\.balance, groupedBy: \.countryCode)
        // error: 'count(groupedBy:where:in:)' is unavailable: use where(_:) or all: User.where { … }.count(by: group)
        _ = try User.count(groupedBy: \.countryCode)
        // error: is unavailable: use where(_:), sorted(by:) or all: User.where { … }.sorted(by: key).values(of: attribute)
        _ = try User.values(of: \.displayName, sortedBy: \.userID)
    }

    static func changes() throws {
        // error: is unavailable: use where(_:) or all: User.where { … }.batchUpdate(.set(key, to: value))
        _ = try User.batchUpdate(where: \.countryCode == 49, .set(\.isFriend, to: true))
        // error: 'batchDelete(where:in:)' is unavailable: use where(_:) or all: User.where { … }.batchDelete()
        _ = try User.batchDelete(where: { $0.isFriend })
        // error: is unavailable: use where(_:), sorted(by:) or all
        _ = try User.fetchedResults(where: \.isFriend == true, sortedBy: \.displayName)
    }

    @MainActor static func observation() {
        // error: is unavailable: use where(_:), sorted(by:) or all
        _ = User.results(where: \.isFriend == true, sortedBy: \.displayName)
        // error: is unavailable: use where(_:), sorted(by:) or all
        _ = User.results(where: { $0.isFriend })
        // error: is unavailable: use where(_:), sorted(by:) or all
        _ = User.results(sortedBy: \.displayName) { $0.count }
        // error: 'counts(where:in:)' is unavailable: use where(_:) or all: User.where { … }.observeCount()
        _ = User.counts(where: \.isFriend == true)
        // error: 'sums(of:where:in:)' is unavailable: use where(_:) or all: User.where { … }.observeSum(of: key)
        _ = User.sums(of: \.balance)
    }

    static func predicates() throws {
        // error: is unavailable: use a condition: .matching(#Predicate { … })
        _ = try User.findAll(where: #Predicate<User> { $0.isFriend })
    }
}

private enum OfQueries {
    @MainActor static func all(_ query: MagicalRecord.Query<User>) throws {
        // error: 'sum(_:in:)' has been renamed to 'sum(of:in:)'
        _ = try query.sum(\.balance)
        // error: 'average(_:groupedBy:in:)' has been renamed to 'average(of:by:in:)'
        _ = try query.average(\.balance, groupedBy: \.countryCode)
        // error: 'counts(in:)' has been renamed to 'observeCount(in:)'
        _ = query.counts()
        // error: 'results(in:)' has been renamed to 'observeObjects(in:)'
        _ = query.results()
        // error: 'results(in:_:)' has been renamed to 'observe(in:_:)'
        _ = query.results { $0.count }
    }
}

private enum OfSaves {
    static func all(_ stack: MagicalRecord.Stack, _ database: MagicalRecord.Database) async throws {
        // error: 'write(exclusive:_:)' is unavailable: use save(isolation: .exclusive), or save without it
        try await stack.write(exclusive: true) { try User.count(in: $0) }
        // error: 'writeAndWait(exclusive:_:)' is unavailable: use saveAndWait(isolation: .exclusive)
        try MagicalRecord.writeAndWait(exclusive: true) { try User.count(in: $0) }
        // error: has been renamed to 'save(_:onConflict:isolation:waitingForMerges:_:)'
        try await database.write("users") { try User.count(in: $0) }
        // error: 'saveReportingOutcome(onConflict:_:)' is unavailable: use saveReportingOutcome of the default stack
        _ = try await MagicalRecord.saveReportingOutcome { try User.count(in: $0) }
    }
}
