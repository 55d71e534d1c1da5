import Foundation

/// A damaged file, opened as far as possible.
struct OpenedFile {
    let image: FileImage
    let survey: PageSurvey
    /// SQLite's view; nil if it cannot read the schema.
    let database: Database?
    let entries: [SchemaEntry]

    init(_ rescue: StoreRescue) throws {
        let path = rescue.url.path
        do {
            let image = try FileImage(path)
            let file = try OpenedFile(rescue, image)
            // A header of wrong geometry makes all pages unreadable.
            guard file.database == nil, file.survey.schema.isEmpty, file.survey.leafPages.isEmpty else {
                self = file
                return
            }
        } catch let error as StoreToolError where error.code != .notAStore {
            throw error
        } catch let error as StoreToolError {
            // Files that are no databases at all have no pages that look like one's.
            let image = try FileImage(damaged: path)
            let file = try OpenedFile(rescue, image)
            guard !file.survey.leafPages.isEmpty else { throw error }
            self = file
            return
        }
        self = try OpenedFile(rescue, FileImage(damaged: path))
    }

    /// The parts that are missing or ignored.
    var remarks: [String] {
        var remarks: [String] = []
        if image.pageCount < image.expectedPageCount {
            remarks.append("The file ends early: it has \(image.pageCount) of \(image.expectedPageCount) pages.")
        }
        switch image.log {
        case .foreign: remarks.append("The log beside the store belongs to another state or database, and was ignored.")
        case .torn: remarks.append("The end of the log was not committed or is damaged, and was ignored.")
        case .unreadable: remarks.append("The log beside the store cannot be read, and was ignored.")
        case .none, .empty, .applied: break
        }
        return remarks
    }

    private init(_ rescue: StoreRescue, _ image: FileImage) throws {
        self.image = image
        guard !image.isHollow else {
            throw StoreToolError(
                .failed,
                "\(rescue.url.lastPathComponent) is nearly empty: of its \(image.pageCount) pages, few are on the disk.",
                advice: "Copy the file again from where it comes.", url: rescue.url)
        }
        survey = try PageSurvey(image) { try rescue.proceed("Reading pages", $0) }
        var found: [SchemaEntry] = []
        database = try? Database(image)
        if let rows = try? database?.prepare("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema") {
            do {
                while try rows.step() {
                    guard let type = rows.text(0), let name = rows.text(1), let table = rows.text(2) else { continue }
                    found.append(
                        SchemaEntry(
                            type: type, name: name, table: table, rootPage: Int(clamping: rows.integer(3)),
                            sql: rows.text(4)))
                }
            } catch { found = [] }
        }
        entries = (found.isEmpty ? survey.schema : found).map(\.withNameOfStatement)
    }
}
