import Foundation

/// One state of fetched results: ordered objects, divided into sections. Immutable.
final class ResultsSnapshot {
    let objects: [AnyObject]
    let sectionNames: [String]
    /// The start of each section, followed by the number of objects.
    let sectionStarts: [Int]

    /// Creates a state, starting a section wherever the name changes.
    ///
    /// - Throws: An error if the section key path cannot be followed.
    convenience init(_ objects: [AnyObject], namer: SectionNamer) throws {
        var builder = SectionBuilder(hasFixedSection: namer.hasFixedSection)
        if !namer.hasFixedSection {
            for object in objects { builder.append(try namer.name(of: object)) }
        } else {
            builder.append("", count: objects.count)
        }
        self.init(objects, sections: builder)
    }

    init(_ objects: [AnyObject], sections: SectionBuilder) {
        self.objects = objects
        sectionNames = sections.names
        sectionStarts = sections.starts + [objects.count]
    }

    /// The name of two sections, if there is one: then the objects are not sorted by section.
    var repeatedSectionName: String? {
        var seen: Set<String> = []
        return sectionNames.first { !seen.insert($0).inserted }
    }

    func range(ofSection section: Int) -> Range<Int> { sectionStarts[section]..<sectionStarts[section + 1] }

    /// Returns the section of the object at an index, by binary search.
    func section(at index: Int) -> Int {
        var (low, high) = (0, sectionNames.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if sectionStarts[middle] <= index { low = middle } else { high = middle - 1 }
        }
        return low
    }

    func indexPath(at index: Int) -> IndexPath {
        let section = section(at: index)
        return IndexPath(item: index - sectionStarts[section], section: section)
    }

    func object(at indexPath: IndexPath) -> AnyObject? {
        guard indexPath.count == 2, sectionNames.indices.contains(indexPath.section) else { return nil }
        let range = range(ofSection: indexPath.section)
        let index = range.lowerBound + indexPath.item
        return indexPath.item >= 0 && index < range.upperBound ? objects[index] : nil
    }
}

/// A builder of section boundaries from objects in order.
struct SectionBuilder {
    private(set) var names: [String] = []
    private(set) var starts: [Int] = []
    private var count = 0

    init(hasFixedSection: Bool) {
        if hasFixedSection {
            names = [""]
            starts = [0]
        }
    }

    /// Adds objects to the last section if it has the name, and to a new section otherwise.
    mutating func append(_ name: String, count added: Int = 1) {
        if names.last != name {
            names.append(name)
            starts.append(count)
        }
        count += added
    }
}
