import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// Columns: names that collide, composite attributes, spatial indexes, primary keys.
@Suite
struct ColumnFormatTests {
    // MARK: Names

    @Test func sameNamesInSubentities() throws {
        let base = FormatStore.entity("Base")
        let one = LibraryModel.entity("One"), two = LibraryModel.entity("Two"), three = LibraryModel.entity("Three")
        one.properties = [LibraryModel.attribute("title", .stringAttributeType)]
        two.properties = [LibraryModel.attribute("title", .integer32AttributeType)]
        three.properties = [LibraryModel.attribute("title", .stringAttributeType)]
        base.subentities = [two, three, one]
        let store = try FormatStore([base, one, two, three])
        // Depth first by name: One, Three, Two.
        #expect(
            try store.creation("ZBASE")?.hasSuffix(
                "Z_OPT INTEGER, ZTITLE2 INTEGER, ZNAME VARCHAR, ZTITLE VARCHAR, ZTITLE1 VARCHAR )") == true)
        store.context.insert("One", ["title": "first"])
        store.context.insert("Two", ["title": 2])
        store.context.insert("Three", ["title": "third"])
        try store.context.save()
        #expect(
            try store.sql("SELECT Z_ENT, ZTITLE, ZTITLE1, ZTITLE2 FROM ZBASE ORDER BY Z_ENT")
                == ["2|first|NULL|NULL", "3|NULL|third|NULL", "4|NULL|NULL|2"])
        try store.reopen()
        #expect(try store.context.fetchAll("Two")[0].value(forKey: "title") as? Int == 2)
        #expect(try store.context.fetchAll("Base").count == 3)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Three")
        request.predicate = NSPredicate(format: "title == 'third'")
        #expect(try store.context.count(for: request) == 1)
    }

    @Test func namesThatDifferInCaseOnly() throws {
        let thing = FormatStore.entity(
            "Thing",
            [
                LibraryModel.attribute("Name", .stringAttributeType),
                LibraryModel.attribute("name1", .stringAttributeType),
                LibraryModel.attribute("_pk", .integer64AttributeType),
                LibraryModel.attribute("_opt", .integer64AttributeType),
            ])
        let store = try FormatStore([thing])
        store.context.insert("Thing", ["name": "a", "Name": "b", "name1": "c", "_pk": 77, "_opt": 88])
        try store.context.save()
        try store.reopen()
        let object = try store.context.fetchAll("Thing")[0]
        #expect(["name", "Name", "name1"].map { object.value(forKey: $0) as? String } == ["a", "b", "c"])
        #expect(object.value(forKey: "_pk") as? Int == 77 && object.value(forKey: "_opt") as? Int == 88)
        #expect(try store.sql("SELECT Z_PK, Z_OPT FROM ZTHING") == ["1|1"])
    }

    // MARK: Composite attributes

    /// `author{id,person}` sorts before `id`, so its element takes the plain column name, as in SwiftData's files.
    private func cocktails() throws -> FormatStore {
        let inner = NSCompositeAttributeDescription()
        inner.name = "place"
        inner.elements = [
            LibraryModel.attribute("city", .stringAttributeType),
            LibraryModel.attribute("floor", .integer16AttributeType),
        ]
        let author = NSCompositeAttributeDescription()
        author.name = "author"
        author.elements = [
            LibraryModel.attribute("id", .integer64AttributeType),
            LibraryModel.attribute("person", .stringAttributeType),
            inner,
        ]
        return try FormatStore([
            FormatStore.entity("Cocktail", [author, LibraryModel.attribute("id", .integer64AttributeType)])
        ])
    }

    @Test func compositeAttributes() throws {
        let store = try cocktails()
        #expect(
            try store.creation("ZCOCKTAIL")
                == "CREATE TABLE ZCOCKTAIL ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID INTEGER, "
                + "ZFLOOR INTEGER, ZID1 INTEGER, ZPERSON VARCHAR, ZCITY VARCHAR, ZNAME VARCHAR )")
        let value: [String: Any] = ["id": 5, "person": "Ada", "place": ["city": "Rome", "floor": 2]]
        store.context.insert("Cocktail", ["name": "full", "id": 9, "author": value])
        store.context.insert("Cocktail", ["name": "none", "id": 8])
        store.context.insert("Cocktail", ["name": "part", "author": ["place": ["floor": 3]]])
        try store.context.save()
        #expect(
            try store.sql("SELECT ZNAME, ZID, ZID1, ZPERSON, ZCITY, ZFLOOR FROM ZCOCKTAIL ORDER BY ZNAME")
                == ["full|5|9|Ada|Rome|2", "none|NULL|8|NULL|NULL|NULL", "part|NULL|NULL|NULL|NULL|3"])
        try store.reopen()
        let found = try store.named("Cocktail")
        #expect((found["full"]?.value(forKey: "author") as? NSDictionary) == value as NSDictionary)
        #expect(found["none"]?.value(forKey: "author") == nil)
        #expect((found["part"]?.value(forKey: "author") as? NSDictionary) == ["place": ["floor": 3]] as NSDictionary)
        found["full"]?.setValue(["person": "Bob"], forKey: "author")
        try store.context.save()
        #expect(
            try store.sql("SELECT ZID, ZPERSON, ZCITY, Z_OPT FROM ZCOCKTAIL WHERE ZNAME = 'full'") == [
                "NULL|Bob|NULL|2"
            ])
    }

    @Test func queriesForElements() throws {
        let store = try cocktails()
        for floor in 1...4 {
            store.context.insert("Cocktail", ["author": ["place": ["city": "Rome", "floor": floor]]])
        }
        try store.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Cocktail")
        request.predicate = NSPredicate(format: "author.place.floor > 2 AND author.place.city == 'Rome'")
        #expect(try store.context.count(for: request) == 2)
        request.predicate = nil
        request.sortDescriptors = [NSSortDescriptor(key: "author.place.floor", ascending: false)]
        let floors = try store.context.fetch(request).map {
            (($0.value(forKey: "author") as? [String: Any])?["place"] as? [String: Any])?["floor"] as? Int
        }
        #expect(floors == [4, 3, 2, 1])
    }

    // MARK: Older indexes

    @Test func olderIndexes() throws {
        let place = FormatStore.entity(
            "Place",
            ["street", "city", "zip"].map { LibraryModel.attribute($0, .stringAttributeType) })
        place.attributesByName["zip"]?.isIndexed = true
        place.compoundIndexes = [["city", "street"]]
        let store = try FormatStore([place])
        #expect(
            try store.creation("Z_Place_zip") == "CREATE INDEX Z_Place_zip ON ZPLACE (ZZIP COLLATE BINARY ASC)")
        #expect(
            try store.creation("Z_Place_city_street")
                == "CREATE INDEX Z_Place_city_street ON ZPLACE (ZCITY COLLATE BINARY ASC, ZSTREET COLLATE BINARY ASC)")
    }

    // MARK: Spatial indexes

    @Test func spatialIndexes() throws {
        let place = FormatStore.entity(
            "Place",
            [
                LibraryModel.attribute("latitude", .doubleAttributeType),
                LibraryModel.attribute("longitude", .doubleAttributeType),
            ])
        let elements = ["latitude", "longitude"].map {
            NSFetchIndexElementDescription(property: place.attributesByName[$0]!, collationType: .rTree)
        }
        place.indexes = [NSFetchIndexDescription(name: "byLocation", elements: elements)]
        let store = try FormatStore([place])
        #expect(
            try store.creation("Z_RT_Place_byLocation")
                == "CREATE VIRTUAL TABLE Z_RT_Place_byLocation USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, "
                + "ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT)")
        func indexed() throws -> [String] {
            try store.sql(
                "SELECT Z_PK, ZLATITUDE_MIN, ZLONGITUDE_MAX FROM Z_RT_Place_byLocation ORDER BY Z_PK")
        }
        let places = (1...3).map {
            store.context.insert("Place", ["latitude": Double($0), "longitude": Double($0 * 10)])
        }
        store.context.insert("Place", ["latitude": 9.0])
        try store.context.save()
        let inIndex = try indexed()
        #expect(inIndex.count == 3 && inIndex.contains { $0.hasSuffix("|2.0|20.0") })
        places[1].setValue(5.0, forKey: "latitude")
        places[2].setValue(nil, forKey: "longitude")
        store.context.delete(places[0])
        try store.context.save()
        #expect(try indexed().count == 1 && indexed()[0].hasSuffix("|5.0|20.0"))
        // Batch requests keep it too.
        _ = try store.context.execute(
            NSBatchInsertRequest(entityName: "Place", objects: [["latitude": 1.5, "longitude": 2.5]]))
        #expect(try indexed().count == 2)
        #expect(try store.sql("SELECT rtreecheck('Z_RT_Place_byLocation')") == ["ok"])
        try store.reopen()
        #expect(try store.context.fetchAll("Place").count == 4)
    }

    // MARK: Keys

    @Test func keysAreCountedOnTheRoot() throws {
        let base = FormatStore.entity("Base"), leaf = LibraryModel.entity("Leaf")
        base.subentities = [leaf]
        let store = try FormatStore([base, leaf])
        func counters() throws -> [String] {
            try store.sql("SELECT Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        }
        #expect(try counters() == ["Base|0|0", "Leaf|1|0"])
        for entity in ["Base", "Leaf", "Leaf"] { store.context.insert(entity) }
        try store.context.save()
        #expect(try counters() == ["Base|0|3", "Leaf|1|0"])
        _ = try store.context.execute(
            NSBatchInsertRequest(entityName: "Leaf", objects: [["name": "a"], ["name": "b"]]))
        #expect(try counters() == ["Base|0|5", "Leaf|1|0"])
        for object in try store.context.fetchAll("Base") { store.context.delete(object) }
        try store.context.save()
        #expect(try counters() == ["Base|0|5", "Leaf|1|0"])
        let new = store.context.insert("Leaf")
        try store.context.obtainPermanentIDs(for: [new])
        #expect(new.objectID.uriRepresentation().lastPathComponent == "p6")
        #expect(try counters() == ["Base|0|6", "Leaf|1|0"])
        store.context.rollback()
        try store.reopen()
        store.context.insert("Leaf")
        try store.context.save()
        #expect(try store.sql("SELECT Z_PK FROM ZBASE") == ["7"])
    }
}
