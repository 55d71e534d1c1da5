import Foundation

// The index paths of tables and collections, with a section and an item, which UIKit and AppKit add to `IndexPath` on Apple's
// platforms. To be removed once Foundation has them.

extension IndexPath {
    /// Creates the index path of an item in a section.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// Creates the index path of a row in a section.
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// The section: the first of two indexes. Traps for other index paths.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The item in the section: the second of two indexes. Traps for other index paths.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The row in the section: the same index as `item`.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
