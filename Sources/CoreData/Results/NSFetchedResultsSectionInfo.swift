import Foundation

/// One section of fetched results.
public protocol NSFetchedResultsSectionInfo {
    /// The section's name; empty where there is no section key path.
    var name: String { get }
    /// The title in an index; see `NSFetchedResultsController.sectionIndexTitle(forSectionName:)`.
    var indexTitle: String? { get }
    /// The number of objects.
    var numberOfObjects: Int { get }
    /// The objects. Costs a copy of the section.
    var objects: [Any]? { get }
}

/// A section of one state of the results; it does not change when they do.
final class FetchedResultsSection: NSObject, NSFetchedResultsSectionInfo {
    private let results: ResultsSnapshot
    private let index: Int
    private weak var controller: FetchedResultsControllerBase?

    init(_ results: ResultsSnapshot, index: Int, controller: FetchedResultsControllerBase) {
        self.results = results
        self.index = index
        self.controller = controller
        super.init()
    }

    var name: String { results.sectionNames[index] }
    var indexTitle: String? { controller?.sectionIndexTitle(forSectionName: name) }
    var numberOfObjects: Int { results.range(ofSection: index).count }
    var objects: [Any]? { Array(results.objects[results.range(ofSection: index)]) }
}
