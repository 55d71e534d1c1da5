import MagicalRecord

// Transformable attributes, external binary data.

// snippet
final class Poster: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var keywords: [String]?
    @NSManaged var tint: Tint?
    @NSManaged var scan: Data?

    static func model(_ poster: MagicalRecord.EntityDeclaration<Poster>) {
        poster.attribute(\.tint, transformer: "TintTransformer")
        poster.attribute(\.scan, isStoredExternally: true)
    }
}
// end

// snippet
final class Tint: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let red: Double, green: Double, blue: Double

    init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    init?(coder: NSCoder) {
        red = coder.decodeDouble(forKey: "red")
        green = coder.decodeDouble(forKey: "green")
        blue = coder.decodeDouble(forKey: "blue")
    }

    func encode(with coder: NSCoder) {
        coder.encode(red, forKey: "red")
        coder.encode(green, forKey: "green")
        coder.encode(blue, forKey: "blue")
    }
}

final class TintTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    static let name = NSValueTransformerName("TintTransformer")
    override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Tint.self] }
}
// end

// Enumerations, Codable values.

// snippet
final class Ticket: NSManagedObject {
    enum State: Int16 { case open, started, done }

    @NSManaged var title: String
    @Stored("state") var state: State = .open
    @Stored("lastState") var lastState: State?
}
// end

// snippet
struct Address: Codable, Equatable {
    var street: String?
    var city: String
    var zip: String?
}

final class Parcel: NSManagedObject {
    @NSManaged var number: Int64
    @Stored("sender") var sender: Address?
    @Stored("address") var address: Address?
    @Stored("labels") var labels: [String] = []

    static func model(_ parcel: MagicalRecord.EntityDeclaration<Parcel>) {
        parcel.attribute(\.address, type: .composite)
    }
}
// end

// Derived attributes, ordered relationships.

// snippet
final class Playlist: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var searchName: String?
    @NSManaged var trackCount: Int64
    @NSManaged var changedAt: Date?
    @NSManaged var tracks: NSOrderedSet

    static func model(_ playlist: MagicalRecord.EntityDeclaration<Playlist>) {
        playlist.attribute(\.searchName, derivation: "canonical:(name)")
        playlist.attribute(\.trackCount, derivation: "tracks.@count")
        playlist.attribute(\.changedAt, derivation: "now()")
        playlist.relationship(\.tracks, to: Track.self, deleteRule: .cascadeDeleteRule)
    }
}

final class Track: NSManagedObject {
    @NSManaged var title: String
    @NSManaged var seconds: Int32
    @NSManaged var playlist: Playlist?
}
// end

// Decimals, an abstract parent.

// snippet
class Product: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var price: NSDecimalNumber

    static func model(_ product: MagicalRecord.EntityDeclaration<Product>) {
        product.entity(isAbstract: true)
        product.attribute(\.price, default: 0, minimum: 0)
    }
}

final class Film: Product {
    @NSManaged var minutes: Int32
}

final class Game: Product {
    @NSManaged var players: Int16
}
// end

// A composite attribute.

// snippet
final class Venue: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var address: [String: Any]?

    static func model(_ venue: MagicalRecord.EntityDeclaration<Venue>) {
        venue.attribute(\.address, type: .composite)
    }
}
// end

// A unique key.

// snippet
final class Customer: NSManagedObject {
    @NSManaged var customerID: Int64
    @NSManaged var name: String?
    @NSManaged var email: String?

    static func model(_ customer: MagicalRecord.EntityDeclaration<Customer>) {
        customer.unique(\.customerID)
    }
}
// end

enum PropertySnippets {
    static func transformable(context: NSManagedObjectContext) throws {
        // snippet
        ValueTransformer.setValueTransformer(TintTransformer(), forName: TintTransformer.name)  // before the set-up
        // end

        // snippet
        let poster = try Poster.create(in: context)
        poster.keywords = ["sea", "summer"]
        poster.keywords?.append("blue")
        poster.tint = Tint(red: 0.1, green: 0.4, blue: 0.9)
        // end
        poster.name = "Beach"
    }

    static func enumeration(
        ticket: Ticket, context: NSManagedObjectContext
    ) throws -> (open: [Ticket], active: [Ticket], counts: [Ticket.State: Int]) {
        // snippet
        ticket.lastState = ticket.state
        ticket.state = .started

        let open = try Ticket.findAll(where: { $0.state == .open && $0.lastState == nil }, in: context)
        let active = try Ticket.findAll(
            where: { $0.state.in([.open, .started]) }, sortedBy: \.state, .descending, in: context)
        let counts = try Ticket.all.count(by: \.state, in: context)
        for count in counts { print(count.key, count.value) }
        // end
        return (open, active, Dictionary(uniqueKeysWithValues: counts.map { ($0.key, $0.value) }))
    }

    static func codable(
        parcel: Parcel, context: NSManagedObjectContext
    ) throws -> (anonymous: [Parcel], toLima: [Parcel]) {
        // snippet
        parcel.address = Address(street: "Jirón Camaná 100", city: "Lima")
        parcel.address?.zip = "15001"
        parcel.labels.append("fragile")

        let anonymous = try Parcel.findAll(where: { $0.sender == nil }, in: context)
        let toLima = try Parcel.findAll(where: "address.city == %@", "Lima", in: context)
        // end
        return (anonymous, toLima)
    }

    static func external(poster: Poster, url: URL) throws -> Int? {
        // snippet
        poster.scan = try Data(contentsOf: url)
        let size = poster.scan?.count
        // end
        return size
    }

    static func derived(typed: String, context: NSManagedObjectContext) throws -> [Playlist] {
        // snippet
        let text = typed.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        let found = try Playlist.findAll(
            where: { $0.searchName.beginsWith(text) && $0.trackCount > 0 }, sortedBy: \.changedAt, .descending,
            in: context)
        // end
        return found
    }

    static func ordered(
        playlist: Playlist, track: Track, opener: Track, context: NSManagedObjectContext
    ) throws -> (titles: [String], long: [Playlist]) {
        // snippet
        let tracks = playlist.mutableOrderedSetValue(forKey: "tracks")
        tracks.add(track)
        tracks.insert(opener, at: 0)
        tracks.moveObjects(at: [2], to: 0)  // the third becomes the first

        let titles = playlist.tracks.array(of: Track.self).map(\.title)
        let long = try Playlist.findAll(where: { $0.tracks.of(Track.self).any { $0.seconds > 600 } }, in: context)
        // end
        return (titles, long)
    }

    static func decimals(film: Film, limit: Decimal, context: NSManagedObjectContext) throws -> (Int, Decimal) {
        // snippet
        film.price = NSDecimalNumber(string: "19.99")
        let withTax = film.price.decimalValue * 119 / 100

        let cheap = try Product.findAll(where: { $0.price <= NSDecimalNumber(decimal: limit) }, in: context)
        let total = try Product.all.sum(of: \.price, in: context).decimalValue
        // end
        _ = withTax
        return (cheap.count, total)
    }

    static func composite(venue: Venue, context: NSManagedObjectContext) throws -> (String?, [Venue]) {
        // snippet
        venue.address = ["street": "Jirón Camaná 100", "city": "Lima"]
        venue.setValue("15001", forKeyPath: "address.zip")
        let city = venue.address?["city"] as? String

        let inLima = try Venue.findAll(where: "address.city == %@", "Lima", in: context)
        // end
        return (city, inLima)
    }

    static func parent(context: NSManagedObjectContext) throws -> ([Product], [Film], Int) {
        // snippet
        let products = try Product.findAll(sortedBy: \.name, in: context)
        let films = products.compactMap { $0 as? Film }
        let longFilms = try Film.count(where: { $0.minutes > 120 }, in: context)
        // end
        return (products, films, longFilms)
    }

    static func findOrCreate(id: Int64) async throws {
        // snippet
        try await MagicalRecord.save { context in
            let customer = try Customer.findOrCreate(by: \.customerID, id, in: context)
            customer.name = "Ann"
        }
        // end
    }

    static func upsert(id: Int64) async throws {
        // snippet
        try await MagicalRecord.save(onConflict: .merge(.mergeByPropertyObjectTrump)) { context in
            let customer = try Customer.create(in: context)
            customer.customerID = id
            customer.email = "ann@example.org"
        }
        // end
    }

    static func importing() async throws -> Int {
        // snippet
        let report = try await MagicalRecord.importAll(
            Customer.self, from: .records([["customerID": 7, "name": "Ann"], ["customerID": 8, "name": "Ben"]]))
        // end
        return report.inserted
    }
}
