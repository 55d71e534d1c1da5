#if PostgreSQL
import CoreData
import CoreDataPostgreSQLStorage
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Testing

/// Dates whose columns keep every bit: `userInfo["postgresql.type"] = "double precision"`.
@Suite("Dates with every bit in servers", .enabled(if: StoreKind.hasServer, StoreKind.needsServer))
struct ServerDateTests {
    /// Neighbors around dates that microseconds do not tell apart, and dates that `timestamptz` cannot hold.
    private static let seconds: [Double] = {
        let near = [0.1, 700_000_000.123_456_7, -1e9 / 3].flatMap { [$0.nextDown, $0, $0.nextUp] }
        return near + [0, -0.0, .leastNonzeroMagnitude, 1e13, -1e300, .infinity]
    }()

    private static func model(_ change: (NSEntityDescription) -> Void = { _ in }) -> NSManagedObjectModel {
        let moment = LibraryModel.entity("Moment")
        let every = LibraryModel.attribute("every", .dateAttributeType)
        let start = LibraryModel.attribute("start", .dateAttributeType)
        let again = NSDerivedAttributeDescription()
        again.name = "again"
        again.attributeType = .dateAttributeType
        again.isOptional = true
        again.derivationExpression = NSExpression(format: "every")
        let changed = NSDerivedAttributeDescription()
        changed.name = "changed"
        changed.attributeType = .dateAttributeType
        changed.isOptional = true
        changed.derivationExpression = NSExpression(format: "now()")
        let span = NSCompositeAttributeDescription()
        span.name = "span"
        span.isOptional = true
        span.elements = [start]
        for attribute in [every, start, again, changed] {
            attribute.userInfo = ["postgresql.type": "double precision"]
        }
        moment.properties = [
            every, again, changed, span, LibraryModel.attribute("rounded", .dateAttributeType),
            LibraryModel.attribute("number", .integer64AttributeType),
        ]
        change(moment)
        let model = NSManagedObjectModel()
        model.entities = [moment]
        return model
    }

    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    /// Opens a store with a moment for each of the seconds, and one without dates.
    private func withStore(_ body: (NSManagedObjectContext, URL) throws -> Void) throws {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        let url = try #require(place.url)
        let context = try ToyStores.container(Self.model(), at: url).newBackgroundContext()
        try context.performAndWait { () throws in
            for (number, seconds) in Self.seconds.enumerated() {
                let moment = NSEntityDescription.insertNewObject(forEntityName: "Moment", into: context)
                moment.setValue(Self.date(seconds), forKey: "every")
                moment.setValue(["start": Self.date(seconds)], forKey: "span")
                moment.setValue(Self.date(1.5), forKey: "rounded")
                moment.setValue(number, forKey: "number")
            }
            _ = NSEntityDescription.insertNewObject(forEntityName: "Moment", into: context)
            try context.save()
            context.reset()
        }
        try body(context, url)
    }

    private func request(_ predicate: NSPredicate?) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Moment")
        request.predicate = predicate
        request.sortDescriptors = [
            NSSortDescriptor(key: "every", ascending: true), NSSortDescriptor(key: "number", ascending: false),
        ]
        return request
    }

    private func bits(_ value: Any?) -> UInt64? { (value as? Date)?.timeIntervalSinceReferenceDate.bitPattern }

    @Test func `Saved dates come back with every bit, and so do copies and elements of composites`() throws {
        try withStore { (server, url) throws in
            try server.performAndWait { () throws in
                let moments = try server.fetch(request(NSPredicate(format: "number != nil")))
                #expect(moments.count == Self.seconds.count)
                for moment in moments {
                    let number = try #require(moment.value(forKey: "number") as? Int)
                    let expected = Self.seconds[number].bitPattern
                    #expect(bits(moment.value(forKey: "every")) == expected)
                    #expect(bits(moment.value(forKey: "again")) == expected)
                    #expect(bits((moment.value(forKey: "span") as? [String: Any])?["start"]) == expected)
                }
            }
            var types: [String: String] = [:]
            let schema = try #require(url.user)
            let columns = """
                SELECT column_name::text, data_type::text FROM information_schema.columns \
                WHERE table_schema = '\(schema)' AND table_name = 'moment'
                """
            try TestServer.run(
                PipelineRequest(ServerStatement(columns, isPrepared: false)) { rows in
                    for row in 0..<rows.count { types[rows.text(row, 0)] = rows.text(row, 1) }
                })
            #expect(types["every"] == "double precision" && types["span_start"] == "double precision")
            #expect(types["again"] == "double precision" && types["changed"] == "double precision")
            #expect(types["rounded"] == "timestamp with time zone")
        }
    }

    @Test func `A save leaves the bits of dates in memory, and rounds the others`() throws {
        try withStore { (server, _) throws in
            try server.performAndWait { () throws in
                let moment = NSEntityDescription.insertNewObject(forEntityName: "Moment", into: server)
                moment.setValue(Self.date(0.123_456_78), forKey: "every")
                moment.setValue(Self.date(0.123_456_78), forKey: "rounded")
                let before = Date()
                try server.save()
                #expect(bits(moment.value(forKey: "every")) == 0.123_456_78.bitPattern)
                #expect(bits(moment.value(forKey: "rounded")) == 0.123_457.bitPattern)
                let changed = try #require(moment.value(forKey: "changed") as? Date)
                #expect(abs(changed.timeIntervalSince(before)) < 60)
                server.refresh(moment, mergeChanges: false)
                #expect(bits(moment.value(forKey: "every")) == 0.123_456_78.bitPattern)
            }
        }
    }

    @Test func `Predicates, orders and aggregates answer as in memory`() throws {
        let (a, b) = (Self.date(700_000_000.123_456_7), Self.date(0.1.nextUp))
        let predicates = [
            NSPredicate(format: "every == %@", a as NSDate), NSPredicate(format: "every != %@", b as NSDate),
            NSPredicate(format: "every < %@", a as NSDate), NSPredicate(format: "every >= %@", b as NSDate),
            NSPredicate(format: "%@ > every", a as NSDate), NSPredicate(format: "NOT every <= %@", b as NSDate),
            NSPredicate(format: "every BETWEEN %@", [b, a]), NSPredicate(format: "every IN %@", [a, b, Date()]),
            NSPredicate(format: "every IN {%@, %@}", a as NSDate, b as NSDate),
            NSPredicate(format: "every BETWEEN {%@, now()}", b as NSDate), NSPredicate(format: "every < now()"),
            NSPredicate(format: "now() >= every"), NSPredicate(format: "every IN {now(), %@}", a as NSDate),
            NSPredicate(format: "now() IN {every, again} OR number == 1"), NSPredicate(format: "every == nil"),
            NSPredicate(format: "every < rounded"), NSPredicate(format: "rounded <= every"),
            NSPredicate(format: "rounded != nil AND rounded IN {every, again}"),
            NSPredicate(format: "rounded BETWEEN {every, again}"),
            NSPredicate(format: "rounded != nil AND rounded IN {%@, every}", Self.date(1.5) as NSDate),
            NSPredicate(format: "rounded BETWEEN {%@, every}", Self.date(1.5) as NSDate),
            NSPredicate(format: "span.start == %@", a as NSDate), NSPredicate(format: "span == %@", ["start": b]),
            NSPredicate(format: "TERNARY(number > 3, every, rounded) > %@", b as NSDate),
            NSPredicate(format: "TERNARY(number > 3, rounded, every) > %@", b as NSDate),
            NSPredicate(format: "TERNARY(number > 3, every, %@) == %@", a as NSDate, a as NSDate),
            NSPredicate(format: "CAST(every, 'NSDate') > %@", b as NSDate),
        ]
        try withStore { (server, _) throws in
            try server.performAndWait { () throws in
                let all = try server.fetch(request(nil))
                let dates = all.compactMap { $0.value(forKey: "every") as? Date }
                #expect(dates == Self.seconds.map(Self.date).sorted())
                #expect(all.first?.value(forKey: "every") == nil)
                for predicate in predicates {
                    let found = try server.fetch(request(predicate))
                    #expect(found == all.filter { predicate.evaluate(with: $0) }, "\(predicate)")
                }
                let request = NSFetchRequest<NSDictionary>(entityName: "Moment")
                request.resultType = .dictionaryResultType
                request.predicate = NSPredicate(format: "number > 5 AND number < 9")
                request.propertiesToFetch = ["min", "max"].map { name in
                    let column = NSExpressionDescription()
                    column.name = name
                    column.expression = NSExpression(format: "\(name):(every)")
                    column.expressionResultType = .dateAttributeType
                    return column
                }
                let extremes = try server.fetch(request).flatMap { [bits($0["min"]), bits($0["max"])] }
                #expect(extremes == [(-1e9 / 3).nextDown.bitPattern, (-1e9 / 3).nextUp.bitPattern])
            }
        }
    }

    @Test func `Batch requests write every bit`() throws {
        try withStore { (server, _) throws in
            try server.performAndWait { () throws in
                let (near, rounded) = (0.3.nextUp, 0.3)
                let value = Self.date(near)
                try server.execute(
                    NSBatchInsertRequest(
                        entityName: "Moment", objects: [["number": 100, "every": value, "rounded": value]]))
                func dates(_ number: Int) throws -> [UInt64?] {
                    server.reset()
                    let moments = try server.fetch(request(NSPredicate(format: "number == %d", number)))
                    return moments.flatMap { [bits($0.value(forKey: "every")), bits($0.value(forKey: "rounded"))] }
                }
                #expect(try dates(100) == [near.bitPattern, rounded.bitPattern])
                let update = NSBatchUpdateRequest(entityName: "Moment")
                update.predicate = NSPredicate(format: "every == %@", value as NSDate)
                update.propertiesToUpdate = ["every": Self.date(0.7.nextDown)]
                try server.execute(update)
                #expect(try dates(100).first == 0.7.nextDown.bitPattern)
                update.predicate = NSPredicate(format: "number == 100")
                update.propertiesToUpdate = ["every": NSExpression(format: "rounded")]
                try server.execute(update)
                #expect(try dates(100) == [rounded.bitPattern, rounded.bitPattern])
                update.propertiesToUpdate = ["rounded": NSExpression(format: "every")]
                let error = #expect(throws: NSError.self) { try server.execute(update) }
                #expect(error?.localizedDescription.contains("double precision") == true, "\(error as Any)")
                let found = NSFetchRequest<any NSFetchRequestResult>(entityName: "Moment")
                found.predicate = NSPredicate(format: "every == %@", Self.date(rounded) as NSDate)
                let delete = NSBatchDeleteRequest(fetchRequest: found)
                try server.execute(delete)
                #expect(try dates(100) == [])
            }
        }
    }

    @Test func `A date that is not a number is an error of the save`() throws {
        try withStore { (server, _) throws in
            server.performAndWait {
                let moment = NSEntityDescription.insertNewObject(forEntityName: "Moment", into: server)
                moment.setValue(Self.date(.nan), forKey: "every")
                let error = #expect(throws: NSError.self) { try server.save() }
                #expect(error?.localizedDescription.contains("Moment.every") == true, "\(error as Any)")
            }
        }
    }

    @Test(arguments: [("every", "real"), ("number", "double precision"), ("rounded", "timestamp")])
    func `Other types are refused when the store is made`(_ name: String, _ type: String) throws {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        let url = try #require(place.url)
        let model = Self.model { $0.attributesByName[name]?.userInfo = ["postgresql.type": type] }
        let error = #expect(throws: NSError.self) { try ToyStores.container(model, at: url) }
        #expect(error?.localizedDescription.contains(name) == true, "\(error as Any)")
        #expect(error?.localizedDescription.contains(type) == true, "\(error as Any)")
    }

    @Test func `A rounded copy of a date with every bit is refused when the store is made`() throws {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        let url = try #require(place.url)
        let model = Self.model { $0.attributesByName["again"]?.userInfo = [:] }
        let error = #expect(throws: NSError.self) { try ToyStores.container(model, at: url) }
        #expect(error?.localizedFailureReason?.contains("would round") == true, "\(error as Any)")
    }
}
#endif
