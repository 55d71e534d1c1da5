import Foundation
import MagicalRecord
import MagicalRecordTesting
import Testing

/// The cookbook's kinds of properties, run as the article shows them. What is read comes from the store: each save and each
/// read has a context of its own.
@Suite struct PropertyTests {
    private func withStack(_ body: (MagicalRecord.Stack) async throws -> Void) async throws {
        ValueTransformer.setValueTransformer(TintTransformer(), forName: TintTransformer.name)
        try await withTestStack(.named("Model", in: .module), shape: .server, body)
    }

    /// The article's lines of the model are those of this target's model, which the command made of the classes.
    @Test func theModelHasTheArticlesLines() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        func lines(_ url: URL) throws -> [String] {
            try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let model = Set(try lines(tests.appendingPathComponent("Model.xcdatamodeld/Model.xcdatamodel/contents")))
        let article = try lines(root.appendingPathComponent("Sources/MagicalRecord/MagicalRecord.docc/Cookbook.md"))
        let blocks = article.split(separator: "```xml").dropFirst().map { $0.prefix { $0 != "```" } }
        #expect(blocks.count >= 8)
        for line in blocks.joined() { #expect(model.contains(line), "\(line)") }
    }

    // MARK: Transformable

    @Test func valuesAreArchived() async throws {
        try await withStack { stack in
            try await stack.save { try PropertySnippets.transformable(context: $0) }
            try await stack.read { context in
                let poster = try #require(try Poster.findFirst(in: context))
                #expect(poster.keywords == ["sea", "summer", "blue"])
                let tint = try #require(poster.tint)
                #expect((tint.red, tint.green, tint.blue) == (0.1, 0.4, 0.9))
            }
        }
    }

    /// The reason for the transformer: that of lists does not allow the class.
    @Test func otherClassesAreRefused() throws {
        let plain = NSSecureUnarchiveFromDataTransformer()
        let tint = Tint(red: 0, green: 0, blue: 1)
        #expect(plain.reverseTransformedValue(["blue"]) is Data)
        let archive = try #require(TintTransformer().reverseTransformedValue(tint) as? Data)
        #expect(TintTransformer().transformedValue(archive) is Tint)
        #if !canImport(ObjectiveC)
        // Apple's transformer raises an exception.
        #expect(plain.reverseTransformedValue(tint) == nil)
        #endif
    }

    #if !canImport(ObjectiveC)
    private final class NestedTint: NSObject, NSSecureCoding {
        static var supportsSecureCoding: Bool { true }
        override init() {}
        init?(coder: NSCoder) {}
        func encode(with coder: NSCoder) {}
    }

    private final class NestedTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
        override class var allowedTopLevelClasses: [AnyClass] { [NestedTint.self] }
    }

    /// The pitfall: Foundation off Apple's platforms has no name for a nested class.
    @Test func nestedClassesCannotBeArchived() {
        #expect(NestedTransformer().reverseTransformedValue(NestedTint()) == nil)
    }
    #endif

    // MARK: Enumerations

    @Test func enumerationsAreFoundAndCounted() async throws {
        try await withStack { stack in
            try await stack.save { context in
                for (title, state) in [("A", Ticket.State.done), ("B", .started)] {
                    try Ticket.create(in: context) { ($0.title, $0.state) = (title, state) }
                }
                // These have the model's default value.
                for title in ["C", "D"] { try Ticket.create(in: context).title = title }
            }
            try await stack.save { context in
                let ticket = try #require(try Ticket.findFirst(where: { $0.title == "D" }, in: context))
                let (open, active, counts) = try PropertySnippets.enumeration(ticket: ticket, context: context)
                #expect(open.map(\.title) == ["C"])
                #expect(Set(active.prefix(2).map(\.title)) == ["B", "D"] && active.last?.title == "C")
                // The store counts what has been saved.
                #expect(counts == [.open: 2, .started: 1, .done: 1])
            }
            try await stack.read { context in
                let ticket = try #require(try Ticket.findFirst(where: { $0.lastState == .open }, in: context))
                #expect(ticket.title == "D" && ticket.state == .started)
                #expect(ticket.value(forKey: "state") as? Int == 1, "the raw value is stored")
                let sections = try Ticket.sorted(by: \.title).sections(by: \.state, in: context)
                #expect(sections.map(\.key) == [.open, .started, .done])
                #expect(sections.map { $0.map(\.title) } == [["C"], ["B", "D"], ["A"]])
            }
        }
    }

    /// The pitfall: a model made by hand, which lacks the default value.
    @Test func withoutADefaultNothingIsFound() async throws {
        let file = try #require(Bundle.module.url(forResource: "Model", withExtension: "momd"))
        let model = try #require(NSManagedObjectModel(contentsOf: file))
        let attribute = try #require(model.entitiesByName["Ticket"]?.attributesByName["state"])
        (attribute.defaultValue, attribute.isOptional) = (nil, true)
        try await withTestStack(.model(model), shape: .server) { stack in
            try await stack.save { try Ticket.create(in: $0).title = "A" }
            try await stack.read { context in
                let ticket = try #require(try Ticket.findFirst(in: context))
                let open = try Ticket.count(where: { $0.state == .open }, in: context)
                #expect(ticket.state == .open && open == 0)
            }
        }
    }

    // MARK: Codable values

    @Test func codableValuesAreStored() async throws {
        try await withStack { stack in
            try await stack.save { context in
                try Parcel.create(in: context) { parcel in
                    parcel.number = 1
                    parcel.sender = Address(city: "Callao")
                }
                let parcel = try Parcel.create(in: context)
                parcel.number = 2
                let (anonymous, toLima) = try PropertySnippets.codable(parcel: parcel, context: context)
                #expect(anonymous == [parcel] && toLima == [parcel])
            }
            try await stack.read { context in
                let parcels = try Parcel.findAll(sortedBy: \.number, in: context)
                #expect(parcels.map(\.sender) == [Address(city: "Callao"), nil])
                #expect(
                    parcels.map(\.address) == [nil, Address(street: "Jirón Camaná 100", city: "Lima", zip: "15001")])
                // The first has never been set, which an optional attribute allows.
                #expect(parcels.map(\.labels) == [[], ["fragile"]])
                #expect(parcels[0].value(forKeyPath: "address.city") == nil)
                #expect(parcels[1].value(forKeyPath: "address.zip") as? String == "15001")
            }
        }
    }

    /// The pitfall: JSON of an older structure, which lacks a member that is required now.
    @Test func membersThatAreAddedMustBeOptional() async throws {
        try await withStack { stack in
            try await stack.save { context in
                for (number, json) in [(1, #"{"city":"Lima"}"#), (2, #"{"zip":"15001"}"#)] {
                    let parcel = try Parcel.create(in: context)
                    parcel.number = Int64(number)
                    parcel.setPrimitiveValue(Data(json.utf8), forKey: "sender")
                }
            }
            try await stack.read { context in
                let parcels = try Parcel.findAll(sortedBy: \.number, in: context)
                #expect(parcels.map(\.sender) == [Address(city: "Lima"), nil])
            }
        }
    }

    // MARK: External values

    @Test func largeValuesAreInFilesBesideTheStore() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let image = folder.appendingPathComponent("scan.png")
        let stack = try MagicalRecord.Stack(
            [.sqlite(at: folder.appendingPathComponent("Posters.sqlite"))], shape: .server,
            model: .named("Model", in: .module))
        let files = folder.appendingPathComponent(".Posters_SUPPORT/_EXTERNAL_DATA").path
        for (size, count) in [(1_000, 0), (200_000, 1)] {
            try Data(repeating: 7, count: size).write(to: image)
            try await stack.save { context in
                let poster = try Poster.findOrCreate(by: \.name, "Beach", in: context)
                #expect(try PropertySnippets.external(poster: poster, url: image) == size)
            }
            #expect(((try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []).count == count)
            let stored = try await stack.read { try Poster.findFirst(in: $0)?.scan }
            #expect(stored == Data(repeating: 7, count: size))
        }
        try await stack.tearDown()
    }

    // MARK: Derived attributes

    @Test func theStoreComputes() async throws {
        try await withStack { stack in
            let start = Date()
            try await stack.save { context in
                let playlist = try Playlist.create(in: context)
                playlist.name = "Été à Paris"
                for title in ["A", "B"] {
                    try Track.create(in: context) { ($0.title, $0.playlist) = (title, playlist) }
                }
                // The pitfall.
                #expect(playlist.trackCount == 0 && playlist.searchName == nil)
                try Playlist.create(in: context).name = "Été sans musique"
            }
            let first = try await stack.read { context in
                let found = try PropertySnippets.derived(typed: "ETE", context: context)
                #expect(found.map(\.name) == ["Été à Paris"])
                #expect(found.first?.searchName == "ete a paris" && found.first?.trackCount == 2)
                return try #require(found.first?.changedAt)
            }
            // The store's clock may count milliseconds.
            #expect(first > start - 1 && first < Date() + 1)
            try await Task.sleep(for: .milliseconds(20))
            try await stack.save { context in
                try Playlist.findFirst(where: { $0.trackCount == 2 }, in: context)?.name = "Hiver"
            }
            try await stack.read { context in
                let playlist = try #require(try Playlist.findFirst(where: { $0.searchName == "hiver" }, in: context))
                #expect(try #require(playlist.changedAt) > first)
            }
        }
    }

    @Test func storesInMemoryRefuseTheModel() throws {
        let error = #expect(throws: NSError.self) {
            _ = try MagicalRecord.Stack([.inMemory], shape: .server, model: .named("Model", in: .module))
        }
        #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    }

    // MARK: Order

    @Test func tracksKeepTheirOrder() async throws {
        try await withStack { stack in
            try await stack.save { context in
                let playlist = try Playlist.create(in: context)
                playlist.name = "Evening"
                let tracks = try ["First", "New", "Opener"].map { title in
                    try Track.create(in: context) { $0.title = title }
                }
                tracks[0].playlist = playlist
                tracks[1].seconds = 700
                let (titles, _) = try PropertySnippets.ordered(
                    playlist: playlist, track: tracks[1], opener: tracks[2], context: context)
                #expect(titles == ["New", "Opener", "First"])
            }
            try await stack.save { context in
                let playlist = try #require(try Playlist.findFirst(in: context))
                #expect(playlist.tracks.array(of: Track.self).map(\.title) == ["New", "Opener", "First"])
                let (opener, track) = (try Track.create(in: context), try Track.create(in: context))
                (opener.title, track.title) = ("Intro", "Last")
                let (titles, long) = try PropertySnippets.ordered(
                    playlist: playlist, track: track, opener: opener, context: context)
                #expect(titles == ["Opener", "Intro", "New", "First", "Last"])
                #expect(long == [playlist])
            }
            let titles = try await stack.read { context in
                try Playlist.findFirst(in: context)?.tracks.array(of: Track.self).map(\.title)
            }
            #expect(titles == ["Opener", "Intro", "New", "First", "Last"])
        }
    }

    // MARK: Decimals, kinds of one thing

    @Test func decimalsAreExact() async throws {
        try await withStack { stack in
            try await stack.save { context in
                for index in 1...3 {
                    try Game.create(in: context) { game in
                        (game.name, game.price) = ("Game \(index)", NSDecimalNumber(string: "0.1"))
                    }
                }
                let film = try Film.create(in: context)
                film.name = "Film"
                _ = try PropertySnippets.decimals(film: film, limit: 1, context: context)
            }
            try await stack.save { context in
                let film = try #require(try Film.findFirst(in: context))
                let price = try #require(Decimal(string: "19.99"))
                #expect(film.price.decimalValue == price)
                let (dear, total) = try PropertySnippets.decimals(film: film, limit: price, context: context)
                #expect(dear == 4)
                #if canImport(ObjectiveC)
                // Apple's SQLite store adds doubles.
                #expect(abs(NSDecimalNumber(decimal: total).doubleValue - 20.29) < 1e-9)
                #else
                #expect(total == Decimal(string: "20.29"))
                #endif
                #expect(try PropertySnippets.decimals(film: film, limit: 1, context: context).0 == 3)
                // The pitfall.
                #expect(Decimal(19.99) != price)
            }
        }
    }

    @Test func theParentFindsAllKinds() async throws {
        try await withStack { stack in
            try await stack.save { context in
                try Film.create(in: context) { ($0.name, $0.minutes) = ("Metropolis", 153) }
                try Film.create(in: context) { ($0.name, $0.minutes) = ("Zéro de conduite", 44) }
                try Game.create(in: context) { ($0.name, $0.players) = ("Go", 2) }
            }
            try await stack.read { context in
                let (products, films, long) = try PropertySnippets.parent(context: context)
                #expect(products.map(\.name) == ["Go", "Metropolis", "Zéro de conduite"])
                #expect((products.first as? Game)?.players == 2)
                #expect(films.map(\.minutes) == [153, 44])
                #expect(long == 1)
            }
            try await stack.save { context in
                let error = #expect(throws: MagicalRecordError.self) { try Product.create(in: context) }
                #expect(error?.code == .abstractEntity)
            }
        }
    }

    // MARK: Composite attributes

    @Test func elementsAreSetAndFound() async throws {
        try await withStack { stack in
            try await stack.save { context in
                let venue = try Venue.create(in: context)
                venue.name = "Teatro Segura"
                try Venue.create(in: context) { ($0.name, $0.address) = ("La Scala", ["city": "Milano"]) }
                let (city, inLima) = try PropertySnippets.composite(venue: venue, context: context)
                #expect(city == "Lima" && inLima == [venue])
            }
            try await stack.save { context in
                let found = try Venue.findAll(where: "address.city == %@ AND address.zip != nil", "Lima", in: context)
                #expect(found.map(\.name) == ["Teatro Segura"])
                let address = found.first?.address as? [String: String]
                #expect(address == ["street": "Jirón Camaná 100", "city": "Lima", "zip": "15001"])
                // The pitfall.
                found.first?.address = ["city": "Callao"]
            }
            let address = try await stack.read { context in
                try Venue.findFirst(where: "address.city == %@", "Callao", in: context)?.address as? [String: String]
            }
            #expect(address == ["city": "Callao"])
        }
    }

    // MARK: Unique keys

    @Test func oneCustomerForEachKey() async throws {
        try await withStack { stack in
            try await PropertySnippets.findOrCreate(id: 7)
            try await PropertySnippets.upsert(id: 7)
            // The object that was created in any case wrote what was set on it, and nothing else.
            try await stack.read { context in
                let customers = try Customer.findAll(in: context)
                #expect(customers.map(\.name) == ["Ann"] && customers.map(\.email) == ["ann@example.org"])
            }
            try await PropertySnippets.findOrCreate(id: 7)
            #expect(try await PropertySnippets.importing() == 1, "the object with the key 8")
            #expect(try await stack.read { try Customer.count(in: $0) } == 2)
        }
    }

    @Test func aSecondObjectWithTheKeyIsRefused() async throws {
        try await withStack { stack in
            try await PropertySnippets.upsert(id: 7)
            let error = await #expect(throws: NSError.self) {
                try await stack.save { context in try Customer.create(in: context).customerID = 7 }
            }
            #expect(error?.code == NSManagedObjectConstraintMergeError)
            try await stack.save(onConflict: .merge(.overwrite)) { context in
                let customer = try Customer.create(in: context)
                (customer.customerID, customer.name) = (7, "Ann")
            }
            let emails = try await stack.read { try Customer.findAll(in: $0).map(\.email) }
            #expect(emails == [nil])
        }
    }
}
