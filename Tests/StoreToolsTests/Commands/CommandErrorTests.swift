import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Arguments that do not fit get a sentence, and exit codes are those of the help.
@Suite struct CommandErrorTests {
    @Test func objectsAreNamedByFullAndShortURIs() throws {
        let store = try CommandStore(authors: 1)
        let full = CommandRunner.run("get", store.path, "Author/p1").output
        let uri = try #require(full.split(separator: "\n").first?.split(separator: " ").last).description
        #expect(uri.hasPrefix("x-coredata://") && uri.hasSuffix("/Author/p1"))
        for text in [uri, "Author/1"] { #expect(CommandRunner.run("get", store.path, text).output == full) }
        let foreign = "x-coredata://00000000-0000-0000-0000-000000000000/Author/p1"
        let other = CommandRunner.run("get", store.path, foreign)
        #expect(other.status == 2 && other.errors.contains("is an object of another store"))
        for (text, words) in [
            ("Auhtor/p1", "Did you mean Author?"), ("Author", "is no URI of an object"),
            ("Author/p0", "is no URI of an object"), ("x-coredata://A/Author/t12", "is no URI of an object"),
        ] {
            let result = CommandRunner.run("get", store.path, text)
            #expect(result.status == 2 && result.errors.contains(words), "\(result.errors)")
        }
        for words in [["get", store.path, "Author/p99"], ["follow", store.path, "Author/p99", "books"]] {
            let missing = CommandRunner.run(words: words)
            #expect(missing.status == 1 && missing.errors == "storetool: There is no object Author/p99.\n")
            #expect(CommandRunner.run(words: words + ["--json"]).output == "null\n")
        }
        let attribute = CommandRunner.run("follow", store.path, "Author/p1", "name")
        #expect(attribute.status == 2 && attribute.errors.contains("is not a relationship"))
        let unknown = CommandRunner.run("follow", store.path, "Author/p1", "boks")
        #expect(unknown.status == 2 && unknown.errors.contains("Did you mean books?"))
    }

    @Test func filesThatAreMissingAreNamed() throws {
        let store = try CommandStore(authors: 1)
        for words in [
            ["get", store.path, "Author/1", "--model", "nothing"], ["migrate", store.path, "--to", "nothing.momd"],
        ] {
            let result = CommandRunner.run(words: words)
            #expect(result.status == 2 && result.errors.contains("nothing"), "\(result.errors)")
        }
        let empty = CommandRunner.run("info", "")
        #expect(empty.status == 2 && empty.errors.contains("An argument is empty"))
    }

    @Test func copiesToTypesThatCannotHoldTheModelAreRefused() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let model = Versions.changed { entities, _ in
            entities["Person"]!.uniquenessConstraints = [["name"]]
            entities["Club"]!.properties += [Versions.derived("count", "members.@count")]
        }
        try QuerySample.open(url, model) { Versions.fill($0) }
        for type in ["xml", "binary"] {
            let result = CommandRunner.run("copy", url.path, folder.file("Copy.\(type)").path)
            #expect(result.status == 2)
            #expect(result.errors.contains("cannot hold objects of this model"))
            #expect(result.errors.contains("Person has uniqueness constraints; Club.count is derived"))
            #expect(result.errors.contains("Copy it to an SQLite store"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.allSatisfy { $0.hasPrefix("Store") })
        try Data().write(to: folder.file("Copy.sqlite-wal"))
        let beside = CommandRunner.run("copy", url.path, folder.file("Copy.sqlite").path)
        #expect(beside.status == 2 && beside.errors.contains("Copy.sqlite-wal already"))
        try Data("text".utf8).write(to: folder.file("plain.txt"))
        let plain = CommandRunner.run("copy", folder.file("plain.txt").path, folder.file("New.sqlite").path)
        #expect(plain.status == 2 && plain.errors.contains("is not an SQLite database"))
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment))
    func entitiesOfAStoreWithoutAModelAreListed() throws {
        let copy = try RealStores.copy(of: RealStores.Sample(store: "recipes/Recipes.sqlite", model: nil))
        defer { copy.remove() }
        let result = CommandRunner.run("info", copy.url.path)
        #expect(result.status == 0)
        #expect(result.output.contains("Ingredient    31"))
        #expect(result.output.contains("RecipeType     5"))
        let query = CommandRunner.run("query", copy.url.path, "Recipe")
        #expect(query.status == 2 && query.errors.contains("--model MODEL"))
    }

    @Test func relationshipsAreComparedByTheKeysOfTheirObjects() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        let (a, b) = (first.file("Store.sqlite"), second.file("Store.sqlite"))
        let model = Versions.changed { entities, _ in
            entities["Person"]!.uniquenessConstraints = [["name", "age"]]
            entities["Club"]!.uniquenessConstraints = [["title"]]
        }
        for (url, names) in [(a, ["x", "y", "z"]), (b, ["z", "y", "x"])] {
            try QuerySample.open(url, model) { context in
                let people = names.map { context.insert("Person", ["name": $0, "age": 7]) }
                try context.obtainPermanentIDs(for: people)
                let club = context.insert("Club", ["title": "Chess"])
                let members = people.filter { ["x", "y"].contains($0.value(forKey: "name") as? String) }
                club.setValue(Set(members), forKey: "members")
            }
        }
        let keys = ["--key", "Person=name,age", "--key", "Club=title"]
        let words = ["diff", a.path, b.path, "Person", "Club"] + keys
        let equal = CommandRunner.run(words: words)
        #expect(equal.output == "No differences.\n", "\(equal)")
        try QuerySample.open(b, model) { context in
            try context.one("Person", "name", "x").setValue(8, forKey: "age")
        }
        let changed = CommandRunner.run(words: words)
        #expect(changed.status == 1)
        #expect(changed.output.contains("members: x, 7, y, 7 → x, 8, y, 7"), "\(changed.output)")
    }

    @Test func entitiesOfOneModelOnlyAreDifferences() throws {
        let folder = try TemporaryFolder()
        let (a, b) = (folder.file("A.sqlite"), folder.file("B.sqlite"))
        try QuerySample.open(a, Versions.first()) { Versions.fill($0) }
        let model = Versions.changed { entities, model in
            entities["Person"]!.properties += [LibraryModel.attribute("height", .doubleAttributeType)]
            model.entities += [LibraryModel.entity("House")]
        }
        try QuerySample.open(b, model) { Versions.fill($0) }
        let all = CommandRunner.run("diff", a.path, b.path, "--key", "Person=name")
        #expect(all.status == 1)
        #expect(all.output.hasPrefix("House: only in B, B.sqlite\n"), "\(all.output)")
        #expect(all.output.contains("Person, by name\n  + property height\n"))
        #expect(CommandRunner.run("diff", a.path, b.path, "House").output == "House: only in B, B.sqlite\n")
        #expect(CommandRunner.run("diff", a.path, b.path, "Hose").status == 2)
    }
}
