import CoreData

// Comparisons of two columns. Two missing values are equal; a missing value differs from any other, and is neither less nor
// greater.

extension MagicalRecord.Column where Value: MagicalRecord.PredicateValue {
    /// `key == other key`.
    public static func == (column: Self, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared("==", other.columnOperand)
    }

    /// `key == other key`, which may have no value.
    public static func == (column: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        column.compared("==", other.columnOperand)
    }

    /// `key == other key`, of which the first may have no value.
    public static func == (column: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared("==", other.columnOperand)
    }

    /// `key != other key`.
    public static func != (column: Self, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared("!=", other.columnOperand)
    }

    /// `key != other key`, which may have no value.
    public static func != (column: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        column.compared("!=", other.columnOperand)
    }

    /// `key != other key`, of which the first may have no value.
    public static func != (column: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared("!=", other.columnOperand)
    }
}

extension MagicalRecord.Column where Value: MagicalRecord.OrderedPredicateValue {
    /// `key < other key`.
    public static func < (column: Self, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared("<", other.columnOperand)
    }

    /// `key < other key`, which may have no value.
    public static func < (column: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        column.compared("<", other.columnOperand)
    }

    /// `key < other key`, of which the first may have no value.
    public static func < (column: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared("<", other.columnOperand)
    }

    /// `key <= other key`.
    public static func <= (column: Self, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared("<=", other.columnOperand)
    }

    /// `key <= other key`, which may have no value.
    public static func <= (column: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        column.compared("<=", other.columnOperand)
    }

    /// `key <= other key`, of which the first may have no value.
    public static func <= (column: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared("<=", other.columnOperand)
    }

    /// `key > other key`.
    public static func > (column: Self, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared(">", other.columnOperand)
    }

    /// `key > other key`, which may have no value.
    public static func > (column: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        column.compared(">", other.columnOperand)
    }

    /// `key > other key`, of which the first may have no value.
    public static func > (column: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared(">", other.columnOperand)
    }

    /// `key >= other key`.
    public static func >= (column: Self, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared(">=", other.columnOperand)
    }

    /// `key >= other key`, which may have no value.
    public static func >= (column: Self, other: MagicalRecord.Column<Root, Value?>) -> MagicalRecord.Condition<Root> {
        column.compared(">=", other.columnOperand)
    }

    /// `key >= other key`, of which the first may have no value.
    public static func >= (column: MagicalRecord.Column<Root, Value?>, other: Self) -> MagicalRecord.Condition<Root> {
        column.compared(">=", other.columnOperand)
    }
}
