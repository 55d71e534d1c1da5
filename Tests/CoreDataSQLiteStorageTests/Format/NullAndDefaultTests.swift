import CoreData
import CoreDataTestSupport
import Testing

/// NULL in a column is no value, whatever default its attribute has: that is for new objects.
@Suite("NULL in columns with a default value")
struct NullAndDefaultTests {
    @Test func aRowKeepsItsNull() throws {
        let store = try FormatStore([
            FormatStore.entity(
                "Note",
                [
                    LibraryModel.attribute("stars", .integer16AttributeType, default: 7),
                    LibraryModel.attribute("mood", .stringAttributeType, default: "calm"),
                ])
        ])
        let note = store.context.insert("Note", ["name": "old"])
        #expect(note.value(forKey: "stars") as? Int == 7 && note.value(forKey: "mood") as? String == "calm")
        try store.context.save()
        store.close()
        try store.run("UPDATE ZNOTE SET ZSTARS = NULL, ZMOOD = NULL")
        try store.reopen()
        let found = try #require(try store.named("Note")["old"])
        #expect(found.value(forKey: "stars") == nil && found.value(forKey: "mood") == nil)
        found.setValue("changed", forKey: "name")
        try store.context.save()
        #expect(try store.sql("SELECT ZNAME, ZSTARS, ZMOOD FROM ZNOTE") == ["changed|NULL|NULL"])
        #expect(try store.problems().isEmpty)
    }
}
