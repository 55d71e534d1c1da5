import MagicalRecord

enum ImportingSnippets {
    static func parsed(_ data: Data) async throws {
        // snippet
        let document = try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
        try await MagicalRecord.importAll(User.self, from: .records(document ?? []))
        // end
    }

    static func calls(url: URL, progress: Progress) async throws {
        // snippet
        let report = try await MagicalRecord.importAll(User.self, from: .file(url), progress: progress)
        print(report)  // 50 inserted, 50 updated, 0 unchanged, 0 skipped
        // end
    }

    static func intoContext(dictionaries: [[String: Any]], context: NSManagedObjectContext) throws {
        // snippet
        try User.importAll(from: dictionaries, in: context)  // into a context, without saving
        let user = try User.importOne(from: dictionaries[0], in: context)
        // end
        _ = user
    }

    static func options(json: Data) async throws {
        // snippet
        let options = MagicalRecord.ImportOptions(relationships: .add, existing: .skip, recordsKeyPath: "data.users")
        let report = try await MagicalRecord.importAll(User.self, from: .data(json), options: options)
        for failure in report.failures { print(failure) }
        // record 17, doctors[0].age: "x" is not a whole number. (entity Doctor, key age) Correct the value, or …
        // end
    }

    static func conflicts(url: URL) async throws {
        // snippet
        try await MagicalRecord.importAll(User.self, from: .file(url), onConflict: .retry(times: 3))
        // end
    }

    static func operations(url: URL, queue: OperationQueue) {
        // snippet
        let operation = MagicalRecord.ImportOperation(User.self, from: .file(url))
        queue.addOperation(operation)
        operation.isPaused = true  // before the next chunk
        operation.cancel()  // what was saved stays
        // end
    }

    static func exporting(context: NSManagedObjectContext, file: URL) throws {
        try context.performAndWait {
            // snippet
            let json = try User.findAll(sortedBy: \.userID, in: context).exportedJSON()
            try json.write(to: file)
            // end
        }
    }
}

// snippet
extension User: MagicalRecordDataImportProtocol {
    func shouldImport(_ data: Any) -> Bool {
        (data as? [String: Any])?["deleted"] as? Bool != true
    }

    func importValue(_ value: Any?, forAttribute name: String) -> Bool {
        guard name == "email", let text = value as? String else { return false }
        email = text.lowercased()
        return true
    }
}
// end

// snippet
enum Cover: String { case paper, cloth }
struct Publisher: Codable { var name: String, city: String }

final class Volume: NSManagedObject {
    @Stored("cover") var cover: Cover = .paper
    @Stored("publisher") var publisher: Publisher?
}
// end
