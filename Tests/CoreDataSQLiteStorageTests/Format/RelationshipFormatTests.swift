import CoreData
import CoreDataTestSupport
import Testing

/// Relationships of every kind: their tables and columns by the rules found in Apple's files, and that what is written
/// there is read again by a second stack.
@Suite
struct RelationshipFormatTests {
    // MARK: Without inverse

    /// `Album` has photos, a cover and ordered highlights; photos know nothing of albums.
    private func albums() throws -> FormatStore {
        let album = FormatStore.entity("Album"), photo = FormatStore.entity("Photo")
        album.properties += [
            FormatStore.relationship("photos", to: photo, toMany: true),
            FormatStore.relationship("highlights", to: photo, toMany: true, ordered: true),
            FormatStore.relationship("cover", to: photo, toMany: false),
        ]
        let store = try FormatStore([album, photo])
        let photos = "abcdef".map { store.context.insert("Photo", ["name": String($0)]) }
        store.context.insert(
            "Album",
            [
                "name": "one", "photos": Set(photos[0..<3]), "cover": photos[0],
                "highlights": NSOrderedSet(array: [photos[2], photos[0], photos[1]]),
            ])
        store.context.insert("Album", ["name": "two", "photos": Set([photos[3]]), "cover": photos[0]])
        try store.context.save()
        return store
    }

    @Test func toManyWithoutInverse() throws {
        let store = try albums()
        #expect(
            try store.creation("ZPHOTO")
                == "CREATE TABLE ZPHOTO ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1HIGHLIGHTS INTEGER, "
                + "Z_FOK_1HIGHLIGHTS INTEGER, Z1PHOTOS INTEGER, ZNAME VARCHAR )")
        #expect(
            try store.creation("ZPHOTO_Z1PHOTOS_INDEX") == "CREATE INDEX ZPHOTO_Z1PHOTOS_INDEX ON ZPHOTO (Z1PHOTOS)")
        #expect(try store.creation("ZALBUM_ZCOVER_INDEX") != nil)
        try store.reopen()
        var albums = try store.named("Album")
        #expect(FormatStore.names(albums["one"], "photos") == ["a", "b", "c"])
        #expect(FormatStore.names(albums["one"], "highlights") == ["c", "a", "b"])
        #expect(FormatStore.names(albums["one"], "cover") == ["a"])
        #expect(FormatStore.names(albums["two"], "cover") == ["a"])
        let photos = try store.named("Photo")
        albums["one"]?.setValue(Set([photos["a"]!, photos["e"]!]), forKey: "photos")
        albums["one"]?.setValue(NSOrderedSet(array: [photos["b"]!, photos["f"]!, photos["c"]!]), forKey: "highlights")
        try store.context.save()
        try store.reopen()
        albums = try store.named("Album")
        #expect(FormatStore.names(albums["one"], "photos") == ["a", "e"])
        #expect(FormatStore.names(albums["one"], "highlights") == ["b", "f", "c"])
        #expect(try store.problems() == [])
    }

    /// A key column holds one owner: a photo put into a second album leaves the first.
    @Test func anObjectHasOneOwnerByThatRelationship() throws {
        let store = try albums()
        let albums = try store.named("Album"), photos = try store.named("Photo")
        albums["two"]?.setValue(Set([photos["a"]!, photos["d"]!]), forKey: "photos")
        try store.context.save()
        try store.reopen()
        let again = try store.named("Album")
        #expect(FormatStore.names(again["two"], "photos") == ["a", "d"])
        #expect(FormatStore.names(again["one"], "photos") == ["b", "c"])
    }

    @Test func deletingOwnersAndMembers() throws {
        let store = try albums()
        var albums = try store.named("Album")
        store.context.delete(albums["two"]!)
        store.context.delete(try store.named("Photo")["b"]!)
        try store.context.save()
        #expect(try store.sql("SELECT COUNT(*) FROM ZPHOTO WHERE Z1PHOTOS = 2") == ["0"])
        try store.reopen()
        albums = try store.named("Album")
        #expect(FormatStore.names(albums["one"], "photos") == ["a", "c"])
        #expect(FormatStore.names(albums["one"], "highlights") == ["c", "a"])
        #expect(try store.problems() == [])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Album")
        _ = try store.context.execute(NSBatchDeleteRequest(fetchRequest: request))
        #expect(try store.sql("SELECT COUNT(*) FROM ZPHOTO WHERE Z1PHOTOS NOT NULL OR Z1HIGHLIGHTS NOT NULL") == ["0"])
    }

    @Test func queriesThroughRelationshipsWithoutInverse() throws {
        let store = try albums()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Album")
        for (format, count) in [
            ("ANY photos.name == 'a'", 1), ("photos.@count == 3", 1), ("cover.name == 'a'", 2),
            ("ANY highlights.name == 'd'", 0), ("SUBQUERY(photos, $p, $p.name > 'b').@count > 0", 2),
        ] {
            request.predicate = NSPredicate(format: format)
            #expect(try store.context.count(for: request) == count, "\(format)")
        }
        request.predicate = nil
        request.relationshipKeyPathsForPrefetching = ["photos", "highlights", "cover"]
        let found = try store.context.fetch(request)
        #expect(found.map { ($0.value(forKey: "photos") as? NSSet)?.count ?? 0 }.sorted() == [1, 3])
    }

    // MARK: Its own inverse

    @Test func manyToManyThatIsItsOwnInverse() throws {
        let person = FormatStore.entity("Person")
        let friends = FormatStore.relationship("friends", to: person, toMany: true)
        friends.inverseRelationship = friends
        person.properties += [friends]
        let store = try FormatStore([person])
        #expect(
            try store.creation("Z_1FRIENDS")
                == "CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )"
        )
        let people = "abcd".map { store.context.insert("Person", ["name": String($0)]) }
        people[0].setValue(Set([people[1], people[2]]), forKey: "friends")
        #expect(FormatStore.names(people[1], "friends") == ["a"])
        try store.context.save()
        try store.reopen()
        var again = try store.named("Person")
        #expect(FormatStore.names(again["a"], "friends") == ["b", "c"])
        #expect(FormatStore.names(again["c"], "friends") == ["a"])
        again["b"]?.setValue(Set([again["d"]!]), forKey: "friends")
        try store.context.save()
        try store.reopen()
        again = try store.named("Person")
        #expect(FormatStore.names(again["a"], "friends") == ["c"])
        #expect(FormatStore.names(again["d"], "friends") == ["b"])
        store.context.delete(again["a"]!)
        try store.context.save()
        #expect(try store.sql("SELECT COUNT(*) FROM Z_1FRIENDS WHERE Z_1FRIENDS = 1 OR REFLEXIVE = 1") == ["0"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(format: "ANY friends.name == 'b'")
        #expect(try store.context.fetch(request).map { $0.value(forKey: "name") as? String } == ["d"])
        #expect(try store.problems() == [])
    }

    /// A file may have each pair in one direction only: both read the same.
    @Test func reflexivePairsAreReadInEitherDirection() throws {
        let person = FormatStore.entity("Person")
        let friends = FormatStore.relationship("friends", to: person, toMany: true)
        friends.inverseRelationship = friends
        person.properties += [friends]
        let store = try FormatStore([person])
        for name in ["a", "b", "c"] { store.context.insert("Person", ["name": name]) }
        try store.context.save()
        let keys = try store.sql("SELECT Z_PK FROM ZPERSON ORDER BY ZNAME")
        try store.run("INSERT INTO Z_1FRIENDS VALUES (\(keys[0]), \(keys[1])), (\(keys[2]), \(keys[0]))")
        try store.reopen()
        var people = try store.named("Person")
        #expect(FormatStore.names(people["a"], "friends") == ["b", "c"])
        #expect(FormatStore.names(people["b"], "friends") == ["a"])
        people["a"]?.setValue(Set([people["b"]!]), forKey: "friends")
        try store.context.save()
        try store.reopen()
        people = try store.named("Person")
        #expect(FormatStore.names(people["a"], "friends") == ["b"])
        #expect(FormatStore.names(people["c"], "friends") == [])
    }

    @Test func toOneThatIsItsOwnInverse() throws {
        let person = FormatStore.entity("Person")
        let spouse = FormatStore.relationship("spouse", to: person, toMany: false)
        spouse.inverseRelationship = spouse
        person.properties += [spouse]
        let store = try FormatStore([person])
        let people = "abc".map { store.context.insert("Person", ["name": String($0)]) }
        people[0].setValue(people[1], forKey: "spouse")
        try store.context.save()
        #expect(try store.sql("SELECT COUNT(*) FROM ZPERSON WHERE ZSPOUSE NOT NULL") == ["2"])
        try store.reopen()
        var again = try store.named("Person")
        #expect(FormatStore.names(again["b"], "spouse") == ["a"])
        again["c"]?.setValue(again["a"], forKey: "spouse")
        #expect(FormatStore.names(again["b"], "spouse") == [])
        try store.context.save()
        #expect(try store.problems() == [])
        try store.reopen()
        again = try store.named("Person")
        #expect(FormatStore.names(again["a"], "spouse") == ["c"])
        store.context.delete(again["c"]!)
        try store.context.save()
        #expect(try store.sql("SELECT COUNT(*) FROM ZPERSON WHERE ZSPOUSE NOT NULL") == ["0"])
    }

    // MARK: Within one entity, ordered, inherited

    @Test func treesOfOneEntity() throws {
        let node = FormatStore.entity("Node")
        LibraryModel.relate(node, "children", many: true, node, "parent", many: false, ordered: true)
        let store = try FormatStore([node])
        let nodes = "rabc".map { store.context.insert("Node", ["name": String($0)]) }
        nodes[0].setValue(NSOrderedSet(array: [nodes[2], nodes[1], nodes[3]]), forKey: "children")
        try store.context.save()
        #expect(
            try store.sql("SELECT ZNAME, Z_FOK_PARENT FROM ZNODE WHERE ZPARENT NOT NULL ORDER BY 2")
                == ["b|2048", "a|3072", "c|4096"])
        try store.reopen()
        #expect(FormatStore.names(try store.named("Node")["r"], "children") == ["b", "a", "c"])
        #expect(try store.problems() == [])
    }

    @Test func orderedManyToManyOnBothSides() throws {
        let list = FormatStore.entity("List"), song = FormatStore.entity("Song")
        LibraryModel.relate(list, "songs", many: true, song, "lists", many: true, ordered: true)
        song.relationshipsByName["lists"]?.isOrdered = true
        let store = try FormatStore([list, song])
        #expect(
            try store.creation("Z_1SONGS")
                == "CREATE TABLE Z_1SONGS ( Z_1LISTS INTEGER, Z_2SONGS INTEGER, Z_FOK_1LISTS INTEGER, Z_FOK_2SONGS INTEGER, "
                + "PRIMARY KEY (Z_1LISTS, Z_2SONGS) )")
        #expect(try store.creation("Z_1SONGS_Z_2SONGS_INDEX")?.hasSuffix("ON Z_1SONGS (Z_2SONGS, Z_1LISTS)") == true)
        let songs = "abcd".map { store.context.insert("Song", ["name": String($0)]) }
        let lists = "xy".map { store.context.insert("List", ["name": String($0)]) }
        lists[0].setValue(NSOrderedSet(array: [songs[2], songs[0], songs[3]]), forKey: "songs")
        lists[1].setValue(NSOrderedSet(array: [songs[3], songs[2]]), forKey: "songs")
        try store.context.save()
        songs[2].setValue(NSOrderedSet(array: [lists[1], lists[0]]), forKey: "lists")
        try store.context.save()
        try store.reopen()
        #expect(FormatStore.names(try store.named("List")["x"], "songs") == ["c", "a", "d"])
        #expect(FormatStore.names(try store.named("List")["y"], "songs") == ["d", "c"])
        #expect(FormatStore.names(try store.named("Song")["c"], "lists") == ["y", "x"])
        #expect(try store.problems() == [])
    }

    /// Subentities use the table and columns of the entity that declares the relationship.
    @Test func inheritedRelationships() throws {
        let item = FormatStore.entity("Item"), book = LibraryModel.entity("Novel"), tag = FormatStore.entity("Tag")
        let owner = FormatStore.entity("Owner")
        item.subentities = [book]
        LibraryModel.relate(item, "tags", many: true, tag, "items", many: true)
        LibraryModel.relate(owner, "items", many: true, item, "owner", many: false)
        LibraryModel.relate(owner, "favourite", many: false, item, "favouriteOf", many: false)
        let store = try FormatStore([item, book, tag, owner])
        // Items are 1, novels 2, owners 3, tags 4; items have subentities and so name the table.
        #expect(try store.creation("Z_1TAGS")?.contains("( Z_1ITEMS INTEGER, Z_4TAGS INTEGER, PRIMARY KEY") == true)
        #expect(try store.creation("ZOWNER")?.contains("ZFAVOURITE INTEGER, Z1_FAVOURITE INTEGER") == true)
        #expect(try store.creation("ZITEM_Z_ENT_INDEX") == "CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)")
        let tags = "rg".map { store.context.insert("Tag", ["name": String($0)]) }
        let novel = store.context.insert("Novel", ["name": "n", "tags": Set(tags)])
        let plain = store.context.insert("Item", ["name": "i", "tags": Set([tags[0]])])
        store.context.insert("Owner", ["name": "o", "items": Set([novel, plain]), "favourite": novel])
        try store.context.save()
        #expect(try store.sql("SELECT Z1_FAVOURITE FROM ZOWNER") == ["2"])
        try store.reopen()
        let owned = try #require(try store.named("Owner")["o"])
        #expect((owned.value(forKey: "favourite") as? NSManagedObject)?.entity.name == "Novel")
        #expect(FormatStore.names(owned, "items") == ["i", "n"])
        #expect(FormatStore.names(try store.named("Tag")["r"], "items") == ["i", "n"])
        owned.setValue(try store.named("Item")["i"], forKey: "favourite")
        try store.context.save()
        #expect(try store.sql("SELECT Z1_FAVOURITE FROM ZOWNER") == ["1"])
        owned.setValue(nil, forKey: "favourite")
        try store.context.save()
        #expect(try store.sql("SELECT ZFAVOURITE, Z1_FAVOURITE FROM ZOWNER") == ["NULL|NULL"])
        #expect(try store.problems() == [])
    }

    @Test func twoRelationshipsToTheSameEntity() throws {
        let user = FormatStore.entity("User")
        LibraryModel.relate(user, "following", many: true, user, "followers", many: true)
        LibraryModel.relate(user, "blocked", many: true, user, "blockedBy", many: true)
        let store = try FormatStore([user])
        let users = "abc".map { store.context.insert("User", ["name": String($0)]) }
        users[0].setValue(Set([users[1], users[2]]), forKey: "following")
        users[2].setValue(Set([users[0]]), forKey: "blocked")
        try store.context.save()
        try store.reopen()
        let again = try store.named("User")
        #expect(FormatStore.names(again["a"], "following") == ["b", "c"])
        #expect(FormatStore.names(again["a"], "followers") == [])
        #expect(FormatStore.names(again["a"], "blockedBy") == ["c"])
        #expect(FormatStore.names(again["b"], "followers") == ["a"])
        #expect(try store.problems() == [])
    }
}
