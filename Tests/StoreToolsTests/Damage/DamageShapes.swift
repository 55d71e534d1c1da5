import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport

extension DamageShape {
    /// All shapes. The one with many rows is the last.
    static let all: [DamageShape] = [
        inheritance, manyToMany, ordered, external, derived, history, composites, links, types, unique,
        inheritance.written("journal", .rollbackJournal),
        inheritance.written("1024", .rewritten(pageSize: 1024, autoVacuum: 2)),
        inheritance.written("deletions", .deletions),
        manyToMany.written("log", .logged),
        ordered.written("16384", .rewritten(pageSize: 16384, autoVacuum: 2)),
        types.written("novacuum", .rewritten(pageSize: 4096, autoVacuum: 0)),
        history.written("log", .logged), history.written("512", .rewritten(pageSize: 512, autoVacuum: 0)),
        many,
    ]

    static func named(_ name: String) -> DamageShape? { all.first { $0.name == name } }

    private static func attribute(_ entity: String, _ name: String, _ model: NSManagedObjectModel)
        -> NSAttributeDescription?
    { model.entitiesByName[entity]?.attributesByName[name] }

    static let inheritance = DamageShape("inheritance") {
        makeModel([
            ("Party abstract", "name: string; note: string?; visits -> Visit.party 0..0?"),
            ("Person : Party", "born: date?; age: i16?; mail: string?"),
            ("Employee : Person", "salary: decimal?; boss -> Person.reports 0..1?; title: string?"),
            ("Company : Party", "site: uri?; title: string?; head -> Party.headed 0..1?"),
            ("Visit", "day: date; party -> Party.visits 0..1?; remark: string?"),
        ]).with("Person", "reports", many: true).with("Party", "headed", many: true)
    } fill: { context, writer in
        var people: [NSManagedObject] = []
        var parties: [NSManagedObject] = []
        for index in 0..<150 {
            let entity = ["Person", "Employee", "Company"][index % 3]
            let object = context.insert(entity, ["name": writer.text(30), "note": writer.text(120)])
            if entity != "Company" {
                object.setValue(writer.date(), forKey: "born")
                object.setValue(writer.number(18..<99), forKey: "age")
            } else {
                object.setValue(URL(string: "https://example.com/\(index)"), forKey: "site")
                object.setValue(writer.text(12), forKey: "title")
                if let head = parties.randomElementOf(&writer) { object.setValue(head, forKey: "head") }
            }
            if entity == "Employee" {
                object.setValue(NSDecimalNumber(string: "\(writer.number(1..<9999)).25"), forKey: "salary")
                if index % 4 != 0 { object.setValue(writer.pick(people), forKey: "boss") }
            }
            if entity != "Company" { people.append(object) }
            parties.append(object)
        }
        for _ in 0..<200 {
            context.insert(
                "Visit", ["day": writer.date(), "party": writer.pick(parties), "remark": writer.text(50)])
        }
    }

    static let manyToMany = DamageShape("many-to-many") {
        makeModel([
            ("Article", "title: string; body: string?; tags -> Tag.articles 0..0?; authors -> Writer.articles 0..0?"),
            ("Tag", "word: string"),
            ("Writer", "name: string; friends -> Writer.friends 0..0?; follows -> Writer.followers 0..0?"),
        ]).with("Tag", "articles", many: true).with("Writer", "articles", many: true)
            .with("Writer", "followers", many: true)
    } fill: { context, writer in
        let tags = (0..<40).map { _ in context.insert("Tag", ["word": writer.text(20)]) }
        let writers = (0..<60).map { _ in context.insert("Writer", ["name": writer.text(60)]) }
        for _ in 0..<120 {
            let article = context.insert("Article", ["title": writer.text(30), "body": writer.text(150)])
            article.setValue(Set(writer.some(tags, 0..<8)), forKey: "tags")
            article.setValue(Set(writer.some(writers, 1..<4)), forKey: "authors")
        }
        for person in writers {
            person.mutableSetValue(forKey: "friends").addObjects(
                from: writer.some(writers.filter { $0 != person }, 0..<4))
            person.mutableSetValue(forKey: "follows").addObjects(from: writer.some(writers, 0..<6))
        }
    }

    static let ordered = DamageShape("ordered") {
        makeModel([
            ("List", "title: string; items -> Item.list 0..0? ordered; loose -> Item 0..0? ordered"),
            ("Item", "text: string; list -> List.items 0..1?"),
            ("Playlist", "name: string; songs -> Song.playlists 0..0? ordered"),
            ("Song", "name: string; playlists -> Playlist.songs 0..0?; covers -> Song.coverOf 0..0? ordered"),
        ]).with("Song", "coverOf", many: true, ordered: true)
    } fill: { context, writer in
        let items = (0..<160).map { _ in context.insert("Item", ["text": writer.text(80)]) }
        let songs = (0..<80).map { _ in context.insert("Song", ["name": writer.text(60)]) }
        var rest = writer.some(items, 150..<151)
        for _ in 0..<30 {
            let list = context.insert("List", ["title": writer.text(40)])
            list.setValue(NSOrderedSet(array: Array(rest.prefix(5))), forKey: "items")
            rest.removeFirst(5)
            let playlist = context.insert("Playlist", ["name": writer.text(40)])
            playlist.setValue(NSOrderedSet(array: writer.some(songs, 0..<12)), forKey: "songs")
        }
        for (list, item) in zip(try context.fetchAll("List"), items) {
            list.setValue(NSOrderedSet(array: [item]), forKey: "loose")
        }
        for song in songs {
            song.setValue(NSOrderedSet(array: writer.some(songs, 0..<4)), forKey: "covers")
        }
    }

    static let external = DamageShape("external") {
        makeModel([
            ("Album", "name: string; photos -> Photo.album 0..0?"),
            (
                "Photo",
                "name: string; image: data? external; thumb: data? external; raw: data?; album -> Album.photos 0..1?"
            ),
        ])
    } fill: { context, writer in
        let albums = (0..<8).map { _ in context.insert("Album", ["name": writer.text(20)]) }
        for index in 0..<60 {
            let photo = context.insert("Photo", ["name": writer.text(30), "album": writer.pick(albums)])
            photo.setValue(writer.data(index % 6 == 0 ? 110_000 : 900), forKey: "image")
            photo.setValue(index % 3 == 0 ? nil : writer.data(200), forKey: "thumb")
            photo.setValue(index % 5 == 0 ? writer.data(9000) : writer.data(100), forKey: "raw")
        }
    }

    static let derived = DamageShape("derived") {
        let model = makeModel([
            ("Team", "name: string; members -> Member.team 0..0?"),
            ("Member", "name: string; note: string?; team -> Team.members 0..1?"),
        ])
        for (entity, name, type, text) in [
            ("Team", "size", NSAttributeType.integer64AttributeType, "members.@count"),
            ("Member", "teamName", .stringAttributeType, "team.name"),
            ("Member", "key", .stringAttributeType, "canonical:(name)"),
        ] {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            attribute.derivationExpression = NSExpression(format: text)
            model.entitiesByName[entity]?.properties.append(attribute)
        }
        return model
    } fill: { context, writer in
        let teams = (0..<60).map { _ in context.insert("Team", ["name": "Équipe " + writer.text(60)]) }
        for index in 0..<180 {
            let member = context.insert("Member", ["name": "Zoë " + writer.text(30), "note": writer.text(80)])
            if index % 7 != 0 { member.setValue(writer.pick(teams), forKey: "team") }
        }
    }

    static let history = DamageShape("history", options: [NSPersistentHistoryTrackingKey: true]) {
        makeModel([
            ("Note", "title: string preserve; body: string? preserve; stars: i32?; book -> Book.notes 0..1?"),
            ("Book", "name: string preserve; notes -> Note.book 0..0?"),
        ])
    } fill: { context, writer in
        var notes: [NSManagedObject] = []
        let books = (0..<20).map { _ in context.insert("Book", ["name": writer.text(50)]) }
        for author in ["phone", "watch", nil, "importer"] {
            context.transactionAuthor = author
            context.name = author.map { "context of \($0)" }
            for _ in 0..<45 {
                notes.append(
                    context.insert(
                        "Note",
                        [
                            "title": writer.text(30), "body": writer.text(90), "stars": writer.number(0..<5),
                            "book": writer.pick(books),
                        ]))
            }
            try context.save()
            for note in writer.some(notes, 10..<20) { note.setValue(writer.text(20), forKey: "title") }
            try context.save()
            for note in writer.some(notes, 8..<9) {
                context.delete(note)
                notes.removeAll { $0 == note }
            }
            try context.save()
        }
    }

    static let composites = DamageShape("composites") {
        func composite(_ name: String, _ elements: [NSAttributeDescription]) -> NSCompositeAttributeDescription {
            let attribute = NSCompositeAttributeDescription()
            attribute.name = name
            attribute.elements = elements
            attribute.isOptional = true
            return attribute
        }
        let model = makeModel([
            ("Place", "name: string; city: string?"), ("Trip", "day: date; place -> Place.trips 0..1?"),
        ])
        .with("Place", "trips", many: true)
        model.entitiesByName["Place"]?.properties += [
            composite(
                "address",
                [
                    LibraryModel.attribute("city", .stringAttributeType),
                    LibraryModel.attribute("zip", .integer32AttributeType),
                    composite(
                        "point",
                        [
                            LibraryModel.attribute("lat", .doubleAttributeType),
                            LibraryModel.attribute("lon", .doubleAttributeType),
                        ]),
                ])
        ]
        return model
    } fill: { context, writer in
        var places: [NSManagedObject] = []
        for index in 0..<120 {
            let place = context.insert("Place", ["name": writer.text(60), "city": writer.text(20)])
            if index % 5 != 0 {
                place.setValue(
                    [
                        "city": writer.text(30), "zip": writer.number(0..<99999),
                        "point": ["lat": Double(writer.number(0..<90)) + 0.5, "lon": Double(writer.number(0..<180))],
                    ] as [String: Any], forKey: "address")
            }
            places.append(place)
        }
        for _ in 0..<150 { context.insert("Trip", ["day": writer.date(), "place": writer.pick(places)]) }
    }

    static let links = DamageShape("links") {
        makeModel([
            ("User", "name: string; profile -> Profile.user 0..1?; stickers -> Sticker 0..0?; last -> Sticker 0..1?"),
            ("Profile", "text: string?; user -> User.profile 0..1?"),
            ("Sticker", "name: string"), ("Pack", "name: string; stickers -> Sticker 0..0? ordered"),
        ])
    } fill: { context, writer in
        var stickers = (0..<200).map { _ in context.insert("Sticker", ["name": writer.text(60)]) }
        for index in 0..<80 {
            let user = context.insert("User", ["name": writer.text(50), "last": writer.pick(stickers)])
            if index % 4 != 0 {
                user.setValue(context.insert("Profile", ["text": writer.text(100)]), forKey: "profile")
            }
            user.setValue(Set(stickers.prefix(2)), forKey: "stickers")
            stickers.removeFirst(2)
            let packed = (try context.fetchAll("Pack")).count
            if index % 8 == 0, packed < 10 {
                let pack = context.insert("Pack", ["name": writer.text(30)])
                pack.setValue(NSOrderedSet(array: writer.some(Array(stickers.prefix(2)), 2..<3)), forKey: "stickers")
            }
        }
    }

    static let types = DamageShape("types") {
        let model = makeModel([
            (
                "Every",
                """
                a16: i16?; a32: i32?; a64: i64?; dec: decimal?; dbl: double?; flt: float?; str: string?; flag: bool?; \
                day: date?; bin: data?; uid: uuid?; uri: uri?; any: transformable?; must: string
                """
            ), ("Größe", "straße: string?; 数: i32?"),
        ])
        let any = model.entitiesByName["Every"]?.attributesByName["any"]
        any?.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        return model
    } fill: { context, writer in
        for index in 0..<140 {
            let object = context.insert("Every", ["must": writer.text(20, unicode: true)])
            if index % 10 == 9 { continue }
            object.setValue(writer.number(-32768..<32768), forKey: "a16")
            object.setValue(writer.number(-2_000_000_000..<2_000_000_000), forKey: "a32")
            object.setValue(index == 3 ? Int64.max : Int64(writer.number(0..<1 << 60)), forKey: "a64")
            object.setValue(NSDecimalNumber(string: "\(writer.number(0..<9999)).5"), forKey: "dec")
            object.setValue(Double(writer.number(0..<1000)) / 7, forKey: "dbl")
            object.setValue(Float(writer.number(0..<1000)) / 4, forKey: "flt")
            object.setValue(writer.text(index % 20 == 0 ? 9000 : 60, unicode: index % 3 == 0), forKey: "str")
            object.setValue(writer.flag(), forKey: "flag")
            object.setValue(writer.date(), forKey: "day")
            object.setValue(writer.data(index % 15 == 0 ? 20_000 : 40), forKey: "bin")
            object.setValue(writer.uuid(), forKey: "uid")
            object.setValue(URL(string: "https://example.com/\(index)"), forKey: "uri")
            object.setValue(NSArray(array: ["a", NSNumber(value: index)]), forKey: "any")
        }
        for index in 0..<50 { context.insert("Größe", ["straße": writer.text(40, unicode: true), "数": index]) }
    }

    static let unique = DamageShape("unique") {
        makeModel([
            ("Account unique=(mail) unique=(first,last)", "mail: string; first: string; last: string; bio: string?"),
            ("Login", "code: i32; account -> Account.logins 1..1"),
        ]).with("Account", "logins", many: true)
    } fill: { context, writer in
        let accounts = (0..<130).map { index in
            context.insert(
                "Account",
                [
                    "mail": "user\(index)@example.com", "first": writer.text(15), "last": writer.text(15),
                    "bio": writer.text(90),
                ])
        }
        for index in 0..<160 { context.insert("Login", ["code": index, "account": writer.pick(accounts)]) }
    }

    /// Three entities, 20,000 rows; 100,000 in the long form.
    static let many: DamageShape = {
        // Batch insertions set no relationships.
        var shape = manyWithoutLinks
        let count = LongForm.choose(20_000, long: 100_000)
        shape.script = """
            UPDATE ZMESSAGE SET ZCHAT = 1 + Z_PK * 7919 % \(count / 20) WHERE Z_PK % 10;
            UPDATE ZCHAT SET ZFOLDER = 1 + Z_PK % 50;
            """
        return shape
    }()

    private static let manyWithoutLinks = DamageShape("many") {
        makeModel([
            ("Message", "text: string; sent: date; number: i64; chat -> Chat.messages 0..1?"),
            ("Chat", "name: string; messages -> Message.chat 0..0?; folder -> Folder.chats 0..1?"),
            ("Folder", "name: string; chats -> Chat.folder 0..0?"),
        ])
    } fill: { context, writer in
        let count = LongForm.choose(20_000, long: 100_000)
        func insert(_ entity: String, _ rows: [[String: Any]]) throws {
            _ = try context.execute(NSBatchInsertRequest(entityName: entity, objects: rows))
        }
        let (folders, chats) = (50, count / 20)
        try insert("Folder", (0..<folders).map { ["name": "Folder \($0)"] })
        try insert("Chat", (0..<chats).map { _ in ["name": writer.text(20)] })
        try insert(
            "Message",
            (0..<count - chats - folders).map { index in
                [
                    "text": "Message \(index) of many", "sent": Date(timeIntervalSinceReferenceDate: Double(index)),
                    "number": index,
                ]
            })
    }
}

extension Array {
    fileprivate func randomElementOf(_ writer: inout DamageWriter) -> Element? { isEmpty ? nil : writer.pick(self) }
}

extension NSManagedObjectModel {
    /// Completes an inverse that ``makeModel`` created, with a name only.
    fileprivate func with(_ entity: String, _ name: String, many: Bool, ordered: Bool = false) -> NSManagedObjectModel {
        let inverse = entitiesByName[entity]?.relationshipsByName[name]
        for source in entities {
            for relationship in source.relationshipsByName.values
            where relationship !== inverse && relationship.inverseRelationship === inverse {
                inverse?.destinationEntity = relationship.entity
                inverse?.inverseRelationship = relationship
            }
        }
        inverse?.maxCount = many ? 0 : 1
        inverse?.isOrdered = ordered
        inverse?.isOptional = true
        return self
    }
}
